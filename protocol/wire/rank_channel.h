// How whole frames of a rank reach its agent and the agent's come back: by ZeroMQ or by a local
// socket. Behind TelemetrySender, which keeps what was not acknowledged; internal to this folder.
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

  /// Takes a frame, which nobody changes any more; never blocks or throws. False: it was
  /// not taken.
  virtual bool send(const Bytes& frame) = 0;
  /// The next good frame of the agent, of which the head alone counts; never blocks.
  virtual bool receive(Frame& frame) = 0;
  /// Frames wait here until the other end reads.
  virtual bool is_behind() const { return false; }
  /// Waits until the agent says something or takes more. False: it never will again.
  virtual bool wait(std::int64_t timeout_ns) = 0;
  /// Closing need not wait for what is on its way.
  virtual void forget() {}
};

}  // namespace ringside::wire
