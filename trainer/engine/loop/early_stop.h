// Ends a rank whose training thread cannot: while it gets ready it may wait for others in the
// rendezvous, and there is nothing to save, so that at a request to stop, or when the wait has gone
// on for too long, a thread of its own ends the process instead. In training it reports where a
// rank hangs that does not react to the request.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace ringside::engine {

class EarlyStop {
 public:
  struct Calls {
    std::function<bool()> asked;  ///< polled: other ways to request a stop than a signal
    std::function<void()> leave;  ///< while getting ready: ends the process
    std::function<void()> late;   ///< in training: requested for so long that something hangs; once
    /// Polled while getting ready: why to give up, or empty.
    std::function<std::string()> overdue = {};
    std::function<void(const std::string& why)> give_up = {};  ///< then: ends the process
  };

  /// `signal_fd` becomes readable with a signal (below 0: none is watched). All calls come from the
  /// watching thread.
  EarlyStop(int signal_fd, Calls calls,
            std::chrono::milliseconds timeout = std::chrono::seconds(5));
  ~EarlyStop();
  EarlyStop(const EarlyStop&) = delete;
  EarlyStop& operator=(const EarlyStop&) = delete;

  /// Leaves requests to the training loop from here on: `leave` does not run any more, and while it
  /// runs this does not return.
  void training_begins();

 private:
  using Clock = std::chrono::steady_clock;
  void watch(int signal_fd);
  bool leave_unless_training(const std::function<void()>& leave);
  bool gave_up();

  Calls calls_;
  std::chrono::milliseconds timeout_;
  std::mutex mutex_;
  bool training_ = false;
  int wake_fd_ = -1;
  std::thread thread_;
};

}  // namespace ringside::engine
