#include "gui/launch/detached.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "protocol/host/platform.h"

namespace ringside::launch {
namespace {

// Message of the grandchild through the pipe: its id and, only if exec fails, the reason.
struct ChildReport {
  std::int32_t pid = -1;
  std::int32_t error = 0;
};

// Calls only functions that are safe between fork and exec in a program with threads.
[[noreturn]] void become(char* const* argv, int log, std::span<const int> passed, int tell,
                         pid_t parent) {
  ::setsid();
  if (parent != 0) {
    if (!end_with_parent() || ::getppid() != parent) ::_exit(1);
  } else if (const pid_t pid = ::fork(); pid != 0) {
    ::_exit(pid < 0 ? 1 : 0);
  }
  const int none = ::open("/dev/null", O_RDONLY);
  ::dup2(none, 0);
  ::dup2(log, 1);
  ::dup2(log, 2);
  for (const int fd : passed) ::fcntl(fd, F_SETFD, 0);
  sigset_t nothing;
  sigemptyset(&nothing);
  ::sigprocmask(SIG_SETMASK, &nothing, nullptr);
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGCHLD})
    ::signal(signal, SIG_DFL);
  ChildReport told{::getpid(), 0};
  (void)!::write(tell, &told, sizeof told);
  ::execv(argv[0], argv);
  told.error = errno;
  (void)!::write(tell, &told, sizeof told);
  ::_exit(127);
}

// Reads until the pipe is closed, which exec does.
ChildReport listen(int fd) {
  ChildReport told;
  ChildReport next;
  for (;;) {
    const ssize_t got = ::read(fd, &next, sizeof next);
    if (got == sizeof next) told = next;
    if (got == 0 || (got < 0 && errno != EINTR)) return told;
  }
}

/// `parent`: this process if the program is to stay its child; 0: it is detached.
Result<std::int32_t> start(const std::vector<std::string>& argv, const std::filesystem::path& log,
                           const std::vector<int>& passed, pid_t parent) {
  std::vector<char*> pointers;
  for (const auto& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const int log_fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_fd < 0) return failure("cannot write " + log.string() + ": " + std::strerror(errno));
  std::array<int, 2> ends{};
  if (!open_pipe(ends)) {
    ::close(log_fd);
    return failure(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  const pid_t child = ::fork();
  if (child == 0) become(pointers.data(), log_fd, passed, ends[1], parent);
  const int fork_error = errno;
  ::close(log_fd);
  ::close(ends[1]);
  const ChildReport told = child > 0 ? listen(ends[0]) : ChildReport{};
  ::close(ends[0]);
  int status = 0;
  const bool stays = parent != 0 && told.error == 0;
  while (child > 0 && !stays && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0)
    return failure(std::string("cannot start a process: ") + std::strerror(fork_error));
  if (told.error != 0) return failure("cannot start " + argv[0] + ": " + std::strerror(told.error));
  if (told.pid < 0) return failure("cannot start " + argv[0] + ": no process could be made");
  return told.pid;
}

}  // namespace

Result<std::int32_t> start_detached(const std::vector<std::string>& argv,
                                    const std::filesystem::path& log,
                                    const std::vector<int>& passed) {
  return start(argv, log, passed, 0);
}

Result<std::int32_t> start_child(const std::vector<std::string>& argv,
                                 const std::filesystem::path& log, const std::vector<int>& passed) {
  return start(argv, log, passed, ::getpid());
}

}  // namespace ringside::launch
