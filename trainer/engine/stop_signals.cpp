#include "trainer/engine/stop_signals.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "protocol/host/signal_sender.h"

namespace ringside::engine {
namespace {

// Lock-free, hence safe in a signal handler.
std::atomic<int> stop_request{0};
std::atomic<int> wake_fd{-1};
std::atomic<int> first_signal{0};
std::atomic<int> first_code{0};
std::atomic<int> first_pid{0};
std::atomic<unsigned> first_user{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int signal, siginfo_t* info, void*) {
  const int before = errno;
  if (first_signal.load() == 0) {
    first_code.store(info->si_code);
    first_pid.store(info->si_pid);
    first_user.store(info->si_uid);
    first_signal.store(signal);
  }
  stop_request.store(std::min(stop_request.load() + 1, 2));
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_fd.load(), &one, sizeof one);
  errno = before;
}

}  // namespace

void install_stop_signals() {
  wake_fd.store(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

int stop_signal_request() { return stop_request.load(); }

std::string stop_signal_words() {
  const int signal = first_signal.load();
  if (signal == 0) return {};
  return signal_words(signal == SIGINT ? "SIGINT" : "SIGTERM",
                      {first_code.load(), first_pid.load(), first_user.load()});
}

int stop_signal_fd() { return wake_fd.load(); }

}  // namespace ringside::engine
