// A rank's end of the telemetry channel. Only wait() and goodbye() wait for the agent, for a
// bounded time. Batches are kept until the agent acknowledges them. Used by one thread (the
// reporter's); closing takes at most kCloseNs. When out of memory it throws std::bad_alloc and has
// sent nothing.
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
  kGraceful = 0,  ///< finish the step, save a checkpoint, exit
  kNow = 1,       ///< exit without a checkpoint
};

struct StopRequest {
  StopMode mode = StopMode::kGraceful;
};

class TelemetrySender {
 public:
  static constexpr std::size_t kDefaultUnacknowledgedBytes = std::size_t{16} << 20;
  static constexpr std::int64_t kCloseNs = 200'000'000;
  /// Maximum payload size; send() refuses larger ones. Batches of up to 64 KiB are the most
  /// efficient.
  static constexpr std::size_t kMaxPayloadBytes = std::size_t{2} << 20;

  /// Starts to connect by ZeroMQ and returns at once, whether an agent listens or not. `attempt` is
  /// RINGSIDE_ATTEMPT. Fails only for an unusable endpoint.
  static Result<TelemetrySender> connect(
      const AgentEndpoint& endpoint, Node node, Rank rank, std::int32_t attempt,
      std::size_t max_unacknowledged_bytes = kDefaultUnacknowledgedBytes);
  /// Connects by the local socket, for the processes of custom programs, which must not be
  /// disturbed: it creates no thread, raises no signal and does not touch descriptors that are no
  /// longer its own. Fails when nobody listens.
  static Result<TelemetrySender> connect_local(
      const AgentEndpoint& endpoint, Node node, Rank rank, std::int32_t attempt,
      std::size_t max_unacknowledged_bytes = kDefaultUnacknowledgedBytes);
  TelemetrySender(TelemetrySender&&) noexcept = default;
  TelemetrySender& operator=(TelemetrySender&&) noexcept = default;
  ~TelemetrySender();

  /// Queues one batch of whole records for sending; never blocks. False when the unacknowledged
  /// bytes are at their limit (nobody reads) or the payload is too large: nothing was sent, and the
  /// caller counts `record_count` drops.
  bool send(std::span<const std::byte> payload, std::uint32_t record_count);
  /// Sends regardless of the limit, for what remains before the goodbye.
  bool send_rest(std::span<const std::byte> payload, std::uint32_t record_count);

  /// Bytes that were sent and not acknowledged, plus 256 per batch for overhead. The agent
  /// acknowledges about every mebibyte, and at least every 16 batches.
  std::size_t unacknowledged_bytes() const;
  /// The records of these batches, oldest first, including the goodbye. Valid until the next call
  /// of another function.
  std::vector<std::span<const std::byte>> unacknowledged() const;

  /// The agent's newest request, if any; never blocks.
  std::optional<StopRequest> poll_control();

  /// Sends the last records and waits until the agent has acknowledged everything, at most until
  /// `deadline_mono_ns`. False: not acknowledged in time. Do not send afterwards.
  bool goodbye(std::span<const std::byte> payload, std::uint32_t record_count,
               std::int64_t deadline_mono_ns);

  /// Whether sent batches still wait for the agent to read; poll_control() continues to send them.
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
  Frame head_;  // common to all frames of this rank
  std::size_t limit_bytes_;
  std::uint64_t next_number_ = 0;
  // Batches that were sent and not acknowledged; the newest, number next_number_ - 1, is last. The
  // channel sends the same bytes, not copies.
  std::deque<RankChannel::Bytes> kept_;
  std::size_t kept_bytes_ = 0;
  std::optional<StopRequest> stop_;
};

}  // namespace ringside::wire
