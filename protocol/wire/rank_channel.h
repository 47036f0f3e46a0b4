// Transport of whole frames between a rank and its agent, by ZeroMQ or by a local socket.
// TelemetrySender uses it and keeps what was not acknowledged; internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "protocol/wire/frame.h"

namespace ringside::wire {

class RankChannel {
 public:
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;

  RankChannel() = default;
  RankChannel(const RankChannel&) = delete;
  RankChannel& operator=(const RankChannel&) = delete;
  virtual ~RankChannel() = default;

  /// Queues a frame, which must no longer change; never blocks or throws. False when it was not
  /// accepted.
  virtual bool send(const Bytes& frame) = 0;
  /// The next valid frame of the agent, without its payload; never blocks.
  virtual bool receive(Frame& frame) = 0;
  /// Whether frames wait for the other end to read.
  virtual bool is_behind() const { return false; }
  /// Waits until the agent sends something or accepts more. False when it never will again.
  virtual bool wait(std::int64_t timeout_ns) = 0;
  /// Lets closing skip waiting for unsent frames.
  virtual void forget() {}
};

}  // namespace ringside::wire
