#include "trainer/engine/early_stop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace ringside::engine {

EarlyStop::EarlyStop(int signal_fd, std::function<bool()> asked, std::function<void()> leave)
    : asked_(std::move(asked)), leave_(std::move(leave)), wake_fd_(::eventfd(0, EFD_CLOEXEC)) {
  thread_ = std::thread([this, signal_fd] { watch(signal_fd); });
}

void EarlyStop::watch(int signal_fd) const {
  pollfd watched[] = {{wake_fd_, POLLIN, 0}, {signal_fd, POLLIN, 0}};
  while (true) {
    ::poll(watched, 2, kLook_ms);
    if (watched[0].revents != 0) return;
    if ((watched[1].revents & POLLIN) == 0 && !asked_()) continue;
    leave_();
    return;
  }
}

void EarlyStop::end() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_fd_, &one, sizeof one);
  thread_.join();
  ::close(wake_fd_);
}

}  // namespace ringside::engine
