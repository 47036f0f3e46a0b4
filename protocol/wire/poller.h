// Waits for sockets of this folder and raw descriptors (pidfd, signalfd, timerfd, pipes) together:
// the agent's single loop, or a viewer's receiver thread. Used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "protocol/base/result.h"
#include "protocol/wire/poll_handle.h"

namespace ringside::wire {

class Poller {
 public:
  Poller();
  Poller(Poller&&) noexcept;
  Poller& operator=(Poller&&) noexcept;
  ~Poller();

  /// `tag` is what wait() returns when there is data to read. Tags need not be unique.
  void add(PollHandle handle, std::int32_t tag);
  /// Ready when readable or closed by the other side. The caller keeps the descriptor.
  void add_fd(int fd, std::int32_t tag);
  void remove(PollHandle handle);
  void remove_fd(int fd);

  /// Waits until something is ready or `timeout_ns` have passed (negative: forever, 0: does not
  /// wait). Returns the tags that are ready, in the order of adding, empty at the timeout or on a
  /// signal; valid until the next call.
  Result<std::span<const std::int32_t>> wait(std::int64_t timeout_ns);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::wire
