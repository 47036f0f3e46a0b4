#include "trainer/telemetry/lifeline.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace ringside::telemetry {

namespace {

// The descriptor number comes from the environment and may belong to another file by now.
bool is_pipe(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) &&
         (::fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
}

}  // namespace

Lifeline::Lifeline(int fd, std::function<void()> on_broken) {
  if (fd < 0 || !is_pipe(fd)) return;
  wake_fd_ = ::eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this, fd, call = std::move(on_broken)] { watch(fd, call); });
}

Lifeline::~Lifeline() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  // Writing 8 bytes to an eventfd fails only if the counter is full, which a single write cannot
  // cause.
  [[maybe_unused]] const auto written = ::write(wake_fd_, &one, sizeof one);
  thread_.join();
  ::close(wake_fd_);
}

void Lifeline::watch(int fd, const std::function<void()>& on_broken) const {
  pollfd watched[] = {{fd, POLLIN, 0}, {wake_fd_, POLLIN, 0}};
  while (true) {
    if (::poll(watched, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (watched[1].revents != 0) return;
    if ((watched[0].revents & POLLNVAL) != 0) return;
    if (watched[0].revents == 0) continue;
    char drop[64];
    const ssize_t got = ::read(fd, drop, sizeof drop);
    if (got > 0 || (got < 0 && errno == EINTR)) continue;
    on_broken();
    return;
  }
}

void leave_without_agent() {
  std::fputs("ringside-trainer: the agent is gone, leaving\n", stderr);
  std::fflush(nullptr);
  if (::getpgrp() == ::getpid()) ::kill(0, SIGKILL);
  ::_exit(1);
}

}  // namespace ringside::telemetry
