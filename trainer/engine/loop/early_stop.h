// Requests to stop that the training thread cannot answer: while a rank gets ready it may wait for
// others in the rendezvous, and there is nothing to save, so a thread of its own ends
// the process instead; in training it reports where a rank hangs that does not react to the
// request.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

namespace ringside::engine {

class EarlyStop {
 public:
  struct Calls {
    std::function<bool()> asked;  ///< polled: other ways to request a stop than a signal
    std::function<void()> leave;  ///< while getting ready: ends the process
    std::function<void()> late;   ///< in training: requested for so long that something hangs; once
  };

  /// `signal_fd` becomes readable with a signal (below 0: none is watched). All calls come from the
  /// watching thread.
  EarlyStop(int signal_fd, Calls calls,
            std::chrono::milliseconds timeout = std::chrono::seconds(5));
  ~EarlyStop();
  EarlyStop(const EarlyStop&) = delete;
  EarlyStop& operator=(const EarlyStop&) = delete;

  /// From here on a request is the training loop's: `leave` does not run any more, and while it
  /// runs this does not return.
  void training_begins();

 private:
  using Clock = std::chrono::steady_clock;
  void watch(int signal_fd);
  bool leave_unless_training();

  Calls calls_;
  std::chrono::milliseconds timeout_;
  std::mutex mutex_;
  bool training_ = false;
  int wake_fd_ = -1;
  std::thread thread_;
};

}  // namespace ringside::engine
