#include "gui/launch/python_stack.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::launch;

namespace {

int written_to = -1;

// Writes a stack as faulthandler does: piece by piece, from within the handler.
void write_stack(int) {
  for (const std::string_view piece :
       {"Current thread (most recent call first):\n", "  File \"train.py\", line 7 in exchange\n"})
    (void)!::write(written_to, piece.data(), piece.size());
}

/// A process that waits, with or without a signal handler; ended with the test.
class Waiting {
 public:
  explicit Waiting(const std::filesystem::path& file) {
    std::array<int, 2> ready{};
    REQUIRE(::pipe(ready.data()) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      if (!file.empty()) {
        written_to = ::open(file.c_str(), O_WRONLY | O_APPEND);
        std::signal(python_stack_signal(), write_stack);
      }
      (void)!::write(ready[1], "x", 1);
      for (;;) ::pause();
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Waiting() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  pid_t pid() const { return pid_; }
  bool lives() const { return ::waitpid(pid_, nullptr, WNOHANG) == 0; }

 private:
  pid_t pid_ = -1;
};

}  // namespace

TEST_CASE("A process with a handler writes its Python stacks, and only new text is returned") {
  const TempFolder folder;
  folder.write("python_stack", "of yesterday\n");
  const auto file = folder.path() / "python_stack";
  const Waiting process(file);
  REQUIRE(tells_python_stack(process.pid(), file));
  for (int times = 0; times < 2; ++times) {
    const auto stack = read_python_stack(process.pid(), file);
    REQUIRE(stack);
    CHECK(*stack ==
          "Current thread (most recent call first):\n  File \"train.py\", line 7 in exchange\n");
  }
  CHECK(process.lives());
}

TEST_CASE("A process without a handler is not signalled, whatever file exists") {
  const TempFolder folder;
  folder.write("python_stack", "");
  const auto file = folder.path() / "python_stack";
  const Waiting deaf("");
  CHECK_FALSE(tells_python_stack(deaf.pid(), file));
  const Waiting process(file);
  CHECK_FALSE(tells_python_stack(process.pid(), folder.path() / "no_such_file"));
  CHECK_FALSE(tells_python_stack(-1, file));
}

TEST_CASE("A stopped process is reported as not answering") {
  const TempFolder folder;
  folder.write("python_stack", "");
  const auto file = folder.path() / "python_stack";
  const Waiting process(file);
  REQUIRE(::kill(process.pid(), SIGSTOP) == 0);
  REQUIRE(::waitpid(process.pid(), nullptr, WUNTRACED) == process.pid());
  const auto stack = read_python_stack(process.pid(), file);
  REQUIRE_FALSE(stack);
  CHECK(stack.error().message.find("stopped") != std::string::npos);
  const auto cancelled = read_python_stack(process.pid(), file, [] { return true; });
  CHECK_FALSE(cancelled);
}
