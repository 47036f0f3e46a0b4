// A rank's end of the telemetry channel. Nothing here waits for the agent except goodbye(), which
// is bounded. Used by one thread (the reporter's); closing it takes at most kCloseNs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/wire/agent_endpoint.h"
#include "protocol/wire/poll_handle.h"

namespace ringside::wire {

enum class StopMode : std::uint32_t {
  kGraceful = 0,  ///< finish the step, save a checkpoint, leave
  kNow = 1,       ///< leave without a checkpoint
};

struct StopRequest {
  StopMode mode = StopMode::kGraceful;
};

class TelemetrySender {
 public:
  static constexpr std::size_t kDefaultInFlightBytes = std::size_t{16} << 20;
  static constexpr std::int64_t kCloseNs = 200'000'000;
  /// Most bytes of one payload; larger ones are refused by send(). Batches of up to 64 KiB travel
  /// best.
  static constexpr std::size_t kMaxPayloadBytes = std::size_t{2} << 20;

  /// Starts connecting and returns at once, whether an agent listens or not. `attempt` is
  /// RINGSIDE_ATTEMPT. Fails only when the endpoint is unusable.
  static Result<TelemetrySender> connect(const AgentEndpoint& endpoint, Node node, Rank rank,
                                         std::int32_t attempt,
                                         std::size_t max_in_flight_bytes = kDefaultInFlightBytes);
  TelemetrySender(TelemetrySender&&) noexcept;
  TelemetrySender& operator=(TelemetrySender&&) noexcept;
  ~TelemetrySender();

  /// Hands one batch of whole records to the socket; never blocks. False: in-flight bytes are at
  /// their limit (nobody reads) or the payload is too large; nothing was sent and the caller counts
  /// `record_count` drops.
  bool send(std::span<const std::byte> payload, std::uint32_t record_count);

  /// Bytes sent that the operating system has not taken yet, with 256 per batch for overhead.
  std::size_t in_flight_bytes() const;

  /// The newest request of the agent, if there is one; never blocks.
  std::optional<StopRequest> poll_control();

  /// Sends the last records and waits until the agent acknowledges all of them, at most until
  /// `deadline_mono_ns`. False: not acknowledged in time. No sends afterwards.
  bool goodbye(std::span<const std::byte> payload, std::uint32_t record_count,
               std::int64_t deadline_mono_ns);

  /// Readable when poll_control() may have something.
  PollHandle poll_handle() const;

 private:
  struct Impl;
  explicit TelemetrySender(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::wire
