// The pipe whose other end the agent holds: when it breaks the agent is gone, and a rank must not
// stay behind. Watches on a thread of its own, from construction to destruction.
#pragma once

#include <functional>
#include <thread>

namespace ringside::telemetry {

class Lifeline {
 public:
  /// `fd`: the read end (RINGSIDE_LIFELINE_FD); below 0: nothing is watched. `on_broken` runs on
  /// the watching thread, once, when the other end is closed.
  Lifeline(int fd, std::function<void()> on_broken);
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

 private:
  void watch(int fd, const std::function<void()>& on_broken) const;

  int wake_fd_ = -1;
  std::thread thread_;
};

/// What a rank does then: flushes its output and ends its process group (helpers included) at once;
/// when the group is not its own, only itself. Does not return.
[[noreturn]] void leave_without_agent();

}  // namespace ringside::telemetry
