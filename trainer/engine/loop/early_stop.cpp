#include "trainer/engine/loop/early_stop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace ringside::engine {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(50);

}  // namespace

EarlyStop::EarlyStop(int signal_fd, Calls calls, std::chrono::milliseconds timeout)
    : calls_(std::move(calls)), timeout_(timeout), wake_fd_(::eventfd(0, EFD_CLOEXEC)) {
  thread_ = std::thread([this, signal_fd] { watch(signal_fd); });
}

EarlyStop::~EarlyStop() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_fd_, &one, sizeof one);
  thread_.join();
  ::close(wake_fd_);
}

void EarlyStop::training_begins() {
  const std::lock_guard<std::mutex> lock(mutex_);
  training_ = true;
}

bool EarlyStop::leave_unless_training(const std::function<void()>& leave) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!training_) leave();
  return !training_;
}

bool EarlyStop::gave_up() {
  const std::string why = calls_.overdue ? calls_.overdue() : std::string();
  return !why.empty() && leave_unless_training([&] { calls_.give_up(why); });
}

void EarlyStop::watch(int signal_fd) {
  pollfd watched[] = {{wake_fd_, POLLIN, 0}, {signal_fd, POLLIN, 0}};
  std::optional<Clock::time_point> asked_at;
  while (true) {
    const auto timeout = asked_at ? std::max(timeout_, kPollInterval) : kPollInterval;
    ::poll(watched, 2, static_cast<int>(timeout.count()));
    if (watched[0].revents != 0 || gave_up()) return;
    if (!asked_at && ((watched[1].revents & POLLIN) != 0 || calls_.asked())) {
      if (leave_unless_training(calls_.leave)) return;
      asked_at = Clock::now();
      watched[1].fd = -1;  // it would stay readable
    }
    if (asked_at && Clock::now() - *asked_at >= timeout_) {
      calls_.late();
      return;
    }
  }
}

}  // namespace ringside::engine
