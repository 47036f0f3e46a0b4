#include "gui/remote/remote_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "protocol/base/variables.h"
#include "protocol/host/platform.h"

namespace ringside::remote {
namespace {

constexpr std::size_t kOutputBlockBytes = std::size_t{64} << 10;

/// An unnamed temporary file with the input, at offset 0, since some programs refuse pipes where
/// they expect a file. -1: it cannot be created.
int input_file(const std::string& input) {
  const int fd = open_unnamed_file();
  if (fd < 0) return -1;
  std::size_t done = 0;
  while (done < input.size()) {
    const ssize_t put = ::write(fd, input.data() + done, input.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) break;
    done += static_cast<std::size_t>(put);
  }
  if (done == input.size() && ::lseek(fd, 0, SEEK_SET) == 0) return fd;
  ::close(fd);
  return -1;
}

struct Ends {
  std::array<int, 2> output{-1, -1};
  std::array<int, 2> errors{-1, -1};
  int input = -1;
};

void close_all(const Ends& ends) {
  for (const int fd : {ends.output[0], ends.output[1], ends.errors[0], ends.errors[1], ends.input})
    if (fd >= 0) ::close(fd);
}

}  // namespace

pid_t spawn_group(std::vector<std::string>& words, const std::array<int, 3>& ends) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i)
    ::posix_spawn_file_actions_adddup2(&actions, ends[static_cast<std::size_t>(i)], i);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  errno = ::posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return errno == 0 ? pid : -1;
}

Result<RemoteProcess> RemoteProcess::start(const std::string& program,
                                           std::vector<std::string> words,
                                           const std::string& input) {
  Ends ends;
  ends.input = input_file(input);
  const bool made = ends.input >= 0 && open_pipe(ends.output) && open_pipe(ends.errors);
  words.insert(words.begin(), program);
  const pid_t pid = made ? spawn_group(words, {ends.input, ends.output[1], ends.errors[1]}) : -1;
  const int error = errno;
  if (pid < 0) {
    close_all(ends);
    return failure("cannot start " + program + ": " + std::strerror(error));
  }
  ::close(ends.input);
  ::close(ends.output[1]);
  ::close(ends.errors[1]);
  return RemoteProcess(pid, ends.output[0], ends.errors[0]);
}

RemoteProcess::RemoteProcess(RemoteProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::exchange(other.output_, -1)),
      errors_(std::exchange(other.errors_, -1)) {}

RemoteProcess::~RemoteProcess() {
  if (output_ >= 0) ::close(output_);
  if (errors_ >= 0) ::close(errors_);
  if (pid_ > 0) ::kill(-pid_, SIGHUP);
}

std::string RemoteProcess::take(int& fd) {
  std::string block(kOutputBlockBytes, '\0');
  ssize_t got = -1;
  do {
    got = ::read(fd, block.data(), block.size());
  } while (got < 0 && errno == EINTR);
  if (got <= 0) {
    ::close(fd);
    fd = -1;
    return {};
  }
  block.resize(static_cast<std::size_t>(got));
  return block;
}

void RemoteProcess::signal(int number) const {
  if (pid_ > 0) ::kill(-pid_, number);
}

std::optional<int> RemoteProcess::ended() {
  if (output_ >= 0 || errors_ >= 0) return std::nullopt;
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace ringside::remote
