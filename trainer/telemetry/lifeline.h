// Watches the pipe whose other end the agent holds: when it closes, the agent is gone and the rank
// must end. Uses its own thread from construction to destruction.
#pragma once

#include <functional>
#include <thread>

namespace ringside::telemetry {

class Lifeline {
 public:
  /// `fd` is the read end (RINGSIDE_LIFELINE_FD); negative: nothing is watched. `on_broken` is
  /// called once, on the watching thread, when the other end is closed.
  Lifeline(int fd, std::function<void()> on_broken);
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

 private:
  void watch(int fd, const std::function<void()>& on_broken) const;

  int wake_fd_ = -1;
  std::thread thread_;
};

/// The default reaction: flushes output and ends this process's group at once, helpers included; if
/// the group is not its own, only this process. Does not return.
[[noreturn]] void leave_without_agent();

}  // namespace ringside::telemetry
