// A rank's end of the telemetry channel. Nothing here waits for the agent except wait() and
// goodbye(), which are bounded. What was sent is kept until the agent acknowledges it. Used by one
// thread (the reporter's); closing it takes at most kCloseNs. Where there is no memory it throws
// std::bad_alloc, and nothing was sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/wire/agent_endpoint.h"
#include "protocol/wire/rank_channel.h"

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
  static constexpr std::size_t kDefaultUnacknowledgedBytes = std::size_t{16} << 20;
  static constexpr std::int64_t kCloseNs = 200'000'000;
  /// Most bytes of one payload; larger ones are refused by send(). Batches of up to 64 KiB travel
  /// best.
  static constexpr std::size_t kMaxPayloadBytes = std::size_t{2} << 20;

  /// Connects by ZeroMQ. Starts connecting and returns at once, whether an agent listens or not.
  /// `attempt` is RINGSIDE_ATTEMPT. Fails only when the endpoint is unusable.
  static Result<TelemetrySender> connect(
      const AgentEndpoint& endpoint, Node node, Rank rank, std::int32_t attempt,
      std::size_t max_unacknowledged_bytes = kDefaultUnacknowledgedBytes);
  /// Connects by the local socket: for the processes of custom programs, which nothing here ends.
  /// It makes no thread and raises no signal, and leaves descriptors alone that are not its own any
  /// more. Fails where nobody listens.
  static Result<TelemetrySender> connect_local(
      const AgentEndpoint& endpoint, Node node, Rank rank, std::int32_t attempt,
      std::size_t max_unacknowledged_bytes = kDefaultUnacknowledgedBytes);
  TelemetrySender(TelemetrySender&&) noexcept = default;
  TelemetrySender& operator=(TelemetrySender&&) noexcept = default;
  ~TelemetrySender();

  /// Hands one batch of whole records to the socket; never blocks. False: unacknowledged bytes are
  /// at their limit (nobody reads) or the payload is too large; nothing was sent and the caller
  /// counts `record_count` drops.
  bool send(std::span<const std::byte> payload, std::uint32_t record_count);
  /// Sends without the limit: for what is left before the goodbye.
  bool send_rest(std::span<const std::byte> payload, std::uint32_t record_count);

  /// Bytes sent that the agent has not acknowledged, with 256 per batch for overhead. It
  /// acknowledges about every mebibyte, and less than 16 batches.
  std::size_t unacknowledged_bytes() const;
  /// The records of those batches, oldest first; the goodbye's too. Valid until the next call of
  /// another function.
  std::vector<std::span<const std::byte>> unacknowledged() const;

  /// The newest request of the agent, if there is one; never blocks.
  std::optional<StopRequest> poll_control();

  /// Sends the last records and waits until the agent acknowledges everything, at most until
  /// `deadline_mono_ns`. False: not acknowledged in time. No sends afterwards.
  bool goodbye(std::span<const std::byte> payload, std::uint32_t record_count,
               std::int64_t deadline_mono_ns);

  /// Sent batches wait for the agent to read, and poll_control() goes on with them.
  bool is_behind() const { return channel_->is_behind(); }
  /// Waits until poll_control() may have something to do.
  void wait(std::int64_t timeout_ns) { channel_->wait(timeout_ns); }

 private:
  TelemetrySender(std::unique_ptr<RankChannel> channel, const AgentEndpoint& endpoint, Node node,
                  Rank rank, std::int32_t attempt, std::size_t max_unacknowledged_bytes);
  bool fits(std::span<const std::byte> payload) const;
  bool post(FrameKind kind, std::span<const std::byte> payload, std::uint32_t count);
  void acknowledge(std::uint64_t number);
  void read_control();

  std::unique_ptr<RankChannel> channel_;
  Frame head_;  // what all frames of this rank share
  std::size_t limit_bytes_;
  std::uint64_t next_number_ = 0;
  // Sent and not acknowledged, the newest last: its number is next_number_ - 1. The bytes are those
  // that the channel sends, not copies.
  std::deque<RankChannel::Bytes> kept_;
  std::size_t kept_bytes_ = 0;
  std::optional<StopRequest> stop_;
};

}  // namespace ringside::wire
