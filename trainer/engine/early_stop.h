// A request to stop while a rank gets ready: nothing can be asked of the training thread, which may
// wait for other ranks in the rendezvous, and nothing is there to save. A thread of its own takes
// leave instead.
#pragma once

#include <functional>
#include <thread>

namespace ringside::engine {

class EarlyStop {
 public:
  /// `signal_fd` becomes readable with a signal (below 0: none is watched), `asked` is looked at
  /// every kLook_ms for other ways to ask. Then `leave` runs, once, on the watching thread; it ends
  /// the process.
  EarlyStop(int signal_fd, std::function<bool()> asked, std::function<void()> leave);
  ~EarlyStop() { end(); }
  EarlyStop(const EarlyStop&) = delete;
  EarlyStop& operator=(const EarlyStop&) = delete;

  /// From here on a request is the training loop's. When this returns, `leave` does not run; while
  /// it runs, this does not return.
  void end();

 private:
  static constexpr int kLook_ms = 50;
  void watch(int signal_fd) const;

  std::function<bool()> asked_;
  std::function<void()> leave_;
  int wake_fd_ = -1;
  std::thread thread_;
};

}  // namespace ringside::engine
