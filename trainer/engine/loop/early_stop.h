// Ends a rank whose training thread cannot end it. Before training, that thread may wait for other
// ranks in the rendezvous, and there is nothing to save, so a separate thread ends the process at a
// stop request or when the wait has lasted too long. During training, the thread reports where a
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
    std::function<bool()> asked;  ///< polled: stop requests other than signals
    std::function<void()> leave;  ///< ends the process, before training
    std::function<void()> late;   ///< called once during training, when a stop request has been
                                  ///< pending for too long
    /// Polled before training: the reason to give up, or empty.
    std::function<std::string()> overdue = {};
    std::function<void(const std::string& why)> give_up = {};  ///< ends the process for that reason
  };

  /// `signal_fd` becomes readable with a signal (negative: none is watched). All functions are
  /// called on the watching thread.
  EarlyStop(int signal_fd, Calls calls,
            std::chrono::milliseconds timeout = std::chrono::seconds(5));
  ~EarlyStop();
  EarlyStop(const EarlyStop&) = delete;
  EarlyStop& operator=(const EarlyStop&) = delete;

  /// From here on the training loop handles requests: `leave` is not called any more. Waits if it
  /// is running.
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
