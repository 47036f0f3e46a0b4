// The agent's end of the telemetry channel for all ranks of the current run, by ZeroMQ or by the
// local socket. A bad frame is refused and counted by reason, never fatal. Used by one thread; the
// Authenticator must outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/wire/authenticator.h"
#include "protocol/wire/poll_handle.h"
#include "protocol/wire/telemetry_sender.h"

namespace ringside::wire {

/// Why a frame was refused.
enum class Refusal : std::uint8_t {
  kMalformed,  ///< too short, no magic, several parts, or a wrong length
  kWrongVersion,
  kWrongToken,  ///< of another run
  kUnknownKind,
  kBadRank,       ///< no such node or rank in this run
  kWrongAttempt,  ///< of an attempt that has ended or not yet begun
  kRankTaken,     ///< another connection has already claimed that rank
  kTooLarge,
  kBadRecords,  ///< the payload is not record_count whole records of that node and rank
  kReplayed,    ///< a frame with this number was received before
};
inline constexpr std::size_t kRefusals = 10;
std::string_view name_of(Refusal reason);

struct ReceiveCounts {
  std::uint64_t frames = 0;        ///< accepted
  std::uint64_t records = 0;       ///< accepted
  std::uint64_t bytes = 0;         ///< of accepted payloads
  std::uint64_t lost_batches = 0;  ///< gaps in the numbers of accepted batches
  std::array<std::uint64_t, kRefusals> refused{};
  std::uint64_t refused_total() const;
};

/// The ranks that are accepted.
struct ExpectedRanks {
  std::uint64_t run_token = 0;
  Node node = 0;
  Rank first_rank = 0;  ///< first rank of this node
  std::int32_t ranks = 1;
  std::int32_t attempt = 0;
  std::filesystem::path local_socket = {};  ///< empty: ranks can only connect by ZeroMQ
  std::int32_t most = 0;  ///< if more than `ranks`: ranks may start others, up to this total
};

struct Batch {
  enum class Kind : std::uint8_t { kHello, kRecords, kGoodbye };
  Kind kind = Kind::kRecords;
  Node node = 0;
  Rank rank = 0;
  std::uint64_t lost_batches = 0;  ///< missing directly before this batch
  std::uint32_t record_count = 0;
  std::span<const std::byte>
      payload;  ///< whole records of that node and rank; valid until the next receive()
};

class TelemetryReceiver {
 public:
  static Result<std::unique_ptr<TelemetryReceiver>> open(Authenticator& authenticator);
  ~TelemetryReceiver();
  TelemetryReceiver(const TelemetryReceiver&) = delete;
  TelemetryReceiver& operator=(const TelemetryReceiver&) = delete;

  std::string endpoint() const;  ///< tcp://127.0.0.1:PORT
  PollHandle poll_handle() const;
  int local_fd() const;  ///< the same, for connections of the local socket

  /// Accepts only these ranks from now on, none if empty. Call it before the ranks of a run or of
  /// its next attempt are started. Fails if the local socket cannot be opened; ranks that use it
  /// are then not received.
  Result<void> expect(ExpectedRanks expected);

  /// The next accepted frame, or empty when none is pending; never blocks. A goodbye, and a batch
  /// now and then, is acknowledged by the receive() after it, so that its records are in the log
  /// before the rank reads the acknowledgement. Therefore call it until it returns none.
  std::optional<Batch> receive();

  /// Asks a rank to stop; false when it has not sent anything yet or is gone.
  bool send_stop(Rank rank, StopMode mode);

  const ReceiveCounts& counts() const;

 private:
  struct Impl;
  explicit TelemetryReceiver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::wire
