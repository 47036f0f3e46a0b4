#include "trainer/engine/stop_signals.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>

namespace ringside::engine {
namespace {

// Lock-free, hence safe in a handler.
std::atomic<int> wish{0};
std::atomic<bool> is_training{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  if (!is_training.load()) ::_exit(0);
  wish.store(std::min(wish.load() + 1, 2));
}

}  // namespace

void install_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

void set_training(bool training) { is_training.store(training); }

int stop_signal_wish() { return wish.load(); }

}  // namespace ringside::engine
