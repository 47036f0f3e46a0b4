// The local end of a connection, tested with a program in place of ssh.
#include "gui/remote/connection.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "gui/remote/format.h"
#include "gui/remote/serve.h"
#include "protocol/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::remote;

namespace {

/// A shell script in place of ssh. It ends when its input does, as ssh would.
class FakeSsh {
 public:
  explicit FakeSsh(const TempFolder& folder, const std::string& shell) {
    const auto ssh = folder.path() / "ssh";
    folder.write("ssh", "#!/bin/sh\ncd " + folder.path().string() + "\n" + shell + "\n");
    std::filesystem::permissions(ssh, std::filesystem::perms::owner_all);
    ::setenv("RINGSIDE_SSH", ssh.c_str(), 1);
  }
  ~FakeSsh() { ::unsetenv("RINGSIDE_SSH"); }
  FakeSsh(const FakeSsh&) = delete;
  FakeSsh& operator=(const FakeSsh&) = delete;
};

bool says(const Error& error, const char* what) {
  INFO(error.message);
  return error.message.find(what) != std::string::npos;
}

const auto kIgnore = [](std::string_view) {};

}  // namespace

TEST_CASE("a machine that greets and then is silent is abandoned when nobody waits for it") {
  const TempFolder folder;
  const FakeSsh ssh(folder, "printf '\\nringside serve-stdio\\n'\nexec cat >/dev/null");
  // The wait is long enough for the greeting to come.
  const std::int64_t until_ns = mono_now_ns() + 1'000'000'000;
  const auto opened =
      Connection::open({"", "box", 0}, [until_ns] { return mono_now_ns() > until_ns; });
  REQUIRE_FALSE(opened);
  CHECK(says(opened.error(), "was cancelled"));
}

TEST_CASE("a machine that hangs counts as lost, both for a question and for a command") {
  const TempFolder folder;
  const nlohmann::json hello = {{"protocol", kProtocol}, {"version", "1"}, {"host", "box"}};
  folder.write("hello", std::string(kGreeting) + encode(FrameKind::kHello, 0, hello.dump()));
  const FakeSsh ssh(folder, "cat hello\nexec cat >/dev/null");
  for (const bool command : {false, true}) {
    const auto there = Connection::open({"", "box", 0}, {}, 300);
    REQUIRE(there);
    if (command) {
      const auto code = (*there)->run({RemoteCommandLine{{"list"}, {}}, kIgnore, kIgnore, {}});
      REQUIRE_FALSE(code);
      CHECK(says(code.error(), "lost contact with ssh://box: it does not answer"));
    } else {
      const auto answer = (*there)->ask(ListRuns{});
      REQUIRE_FALSE(answer);
      CHECK(says(answer.error(), "lost contact with ssh://box: it does not answer"));
    }
    CHECK((*there)->lost());
  }
}

TEST_CASE("a command may be silent for any time while its helper answers") {
  const TempFolder folder;
  const auto to = folder.path() / "to";
  const auto from = folder.path() / "from";
  REQUIRE(::mkfifo(to.c_str(), 0600) == 0);
  REQUIRE(::mkfifo(from.c_str(), 0600) == 0);
  const FakeSsh ssh(folder, "cat from &\nexec cat >to");
  std::thread helper([&] {
    const int in = ::open(to.c_str(), O_RDONLY | O_CLOEXEC);
    const int out = ::open(from.c_str(), O_WRONLY | O_CLOEXEC);
    (void)serve(in, out, "/bin/sh");
    ::close(in);
    ::close(out);
  });
  constexpr int kMostSilentMs = 6000;
  auto there = Connection::open({"", "box", 0}, {}, kMostSilentMs);
  REQUIRE(there);
  // The callback is polled ten times a second: it ends the command after twice the silence that a
  // helper may keep.
  int asked = 0;
  const auto code =
      (*there)->run({RemoteCommandLine{{"-c", "exec sleep 1000"}, {}}, kIgnore, kIgnore,
                     [&asked] { return ++asked == 2 * kMostSilentMs / 100 ? SIGTERM : 0; }});
  CHECK_FALSE((*there)->lost());
  REQUIRE(code);
  CHECK(*code == 128 + SIGTERM);
  there->reset();
  helper.join();
}
