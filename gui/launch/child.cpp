#include "gui/launch/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "protocol/base/clock.h"
#include "protocol/base/variables.h"
#include "protocol/host/platform.h"

namespace ringside::launch {
namespace {

constexpr std::size_t kMaxOutputBytes = std::size_t{1} << 20;
constexpr std::int64_t kAskMs = 50;
// Maximum number of blocks left in two full pipes after the child has ended.
constexpr std::size_t kMostLeftOver = 64;

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (open_pipe(ends)) {
      read = ends[0];
      write = ends[1];
    }
  }
  ~Pipe() {
    if (read >= 0) ::close(read);
    if (write >= 0) ::close(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_write() {
    ::close(write);
    write = -1;
  }
};

std::string_view name_in(std::string_view entry) { return entry.substr(0, entry.find('=')); }

// The environment as pointers, some of them into `more`, which must outlive the result.
std::vector<char*> environment_with(const std::vector<std::string>& more) {
  std::vector<char*> pointers;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const bool replaced = std::ranges::any_of(
        more, [&](const std::string& one) { return name_in(one) == name_in(*entry); });
    if (!replaced) pointers.push_back(*entry);
  }
  for (const auto& one : more) {
    if (one.find('=') != std::string::npos) pointers.push_back(const_cast<char*>(one.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Nothing if the program could not be started; errno has the reason.
pid_t spawn(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
            const Pipe& out, const Pipe& err) {
  std::vector<char*> pointers;
  for (const auto& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  std::vector<char*> variables = environment_with(environment);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.write, 1);
  ::posix_spawn_file_actions_adddup2(&actions, err.write, 2);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = -1;
  errno = ::posix_spawn(&pid, argv[0].c_str(), &actions, &attributes, pointers.data(),
                        variables.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return errno == 0 ? pid : -1;
}

// Reads available bytes; false at the end of the stream.
bool drain(int fd, std::string& into) {
  std::array<char, 4096> buffer{};
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR;
  const auto room = kMaxOutputBytes - into.size();
  into.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
  return got > 0;
}

// Whether the child has ended. It is not reaped yet, so that its process id is not reused.
bool has_left(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

// Reads both streams until they end, or until the child has ended and no more bytes are available:
// a process that it left behind may keep them open. False if the deadline or the cancellation came
// first.
bool drain_both(pid_t pid, const Pipe& out, const Pipe& err, Captured& captured,
                std::int64_t deadline_ns, const Cancelled& cancelled) {
  std::array<pollfd, 2> polled{pollfd{out.read, POLLIN, 0}, pollfd{err.read, POLLIN, 0}};
  std::size_t left_over = 0;
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    const std::int64_t left_ms = (deadline_ns - mono_now_ns()) / 1'000'000;
    const bool left = has_left(pid);
    if (!left && (left_ms <= 0 || (cancelled && cancelled()))) return false;
    const int wait_ms = left ? 0 : static_cast<int>(std::min(left_ms, kAskMs));
    const int ready = ::poll(polled.data(), polled.size(), wait_ms);
    if (ready < 0 && errno != EINTR) return false;
    if (ready < 0) continue;
    if (left && (ready == 0 || ++left_over > kMostLeftOver)) return true;
    if (polled[0].revents != 0 && !drain(out.read, captured.output)) polled[0].fd = -1;
    if (polled[1].revents != 0 && !drain(err.read, captured.errors)) polled[1].fd = -1;
  }
  return true;
}

}  // namespace

Result<CapturedSoFar> capture_so_far(const std::vector<std::string>& argv, std::int64_t limit_ns,
                                     const Cancelled& cancelled,
                                     const std::vector<std::string>& environment) {
  const std::int64_t deadline_ns = mono_now_ns() + limit_ns;
  Pipe out;
  Pipe err;
  if (out.read < 0 || err.read < 0)
    return failure(std::string("cannot make a pipe: ") + std::strerror(errno));
  const pid_t pid = spawn(argv, environment, out, err);
  if (pid < 0) return failure("cannot start " + argv[0] + ": " + std::strerror(errno));
  out.close_write();
  err.close_write();
  CapturedSoFar captured;
  const bool ended = drain_both(pid, out, err, captured, deadline_ns, cancelled);
  if (!ended) ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  captured.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!ended) {
    captured.cut =
        argv[0] + (cancelled && cancelled() ? " was terminated: no longer needed"
                                            : " did not respond in time and was terminated");
  }
  return captured;
}

Result<Captured> capture(const std::vector<std::string>& argv, std::int64_t limit_ns,
                         const Cancelled& cancelled, const std::vector<std::string>& environment) {
  auto captured = RINGSIDE_TRY(capture_so_far(argv, limit_ns, cancelled, environment));
  if (!captured.cut.empty()) return failure(captured.cut);
  return Captured(std::move(captured));
}

}  // namespace ringside::launch
