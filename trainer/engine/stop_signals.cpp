#include "trainer/engine/stop_signals.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace ringside::engine {
namespace {

// Lock-free, hence safe in a handler.
std::atomic<int> stop_request{0};
std::atomic<int> wake_fd{-1};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int) {
  const int before = errno;
  stop_request.store(std::min(stop_request.load() + 1, 2));
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_fd.load(), &one, sizeof one);
  errno = before;
}

}  // namespace

void install_stop_signals() {
  wake_fd.store(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

int stop_signal_request() { return stop_request.load(); }

int stop_signal_fd() { return wake_fd.load(); }

}  // namespace ringside::engine
