// What all records share: type number, sender and time. The records are in the headers named
// *_records.h; records.h includes all of them. Each has its type number (kType), its name in JSON
// and CSV (kName) and one list of fields (`fields`), which defines encoding, CSV columns and JSON.
// The list's order is the order on the wire (FORMAT.md), so fields are only ever appended. Times
// are in ns (mono_ns clock unless "wall"), sizes in bytes; kUnknownF means unknown. Plain data.
#pragma once

#include <bit>
#include <cstdint>
#include <variant>

#include "protocol/base/ids.h"

namespace ringside::messages {

/// An unknown float: a quiet NaN with a bit pattern of its own, which differs from a computed NaN.
/// Test with is_unknown; every other NaN is a value.
inline constexpr float kUnknownF = std::bit_cast<float>(0x7fc0deadU);
inline bool is_unknown(float value) { return std::bit_cast<std::uint32_t>(value) == 0x7fc0deadU; }

/// Wire numbers; never reused, never renumbered.
enum class RecordType : std::uint16_t {
  kRankHello = 1,
  kStepReport = 2,
  kBucketReport = 3,
  kEpochReport = 4,
  kShardReport = 5,
  kDeviceSample = 6,
  kHostSample = 7,
  kRankState = 8,
  kClockSync = 9,
  kCheckpoint = 10,
  kNotice = 11,
  kScalar = 12,
  kRankGoodbye = 13,
  kDeviceLink = 14,
  kGroupReport = 15,
  kCollectiveReport = 16,
};

/// Sender, time and sequence number of a record. `seq` counts all records that a sender produced,
/// from 0, lost ones included, so a gap is a loss. A sender is a (node, rank); the agent has rank
/// kNoRank.
struct Stamp {
  Node node = 0;
  Rank rank = kNoRank;
  std::uint64_t seq = 0;
  std::int64_t mono_ns = 0;
  bool operator==(const Stamp&) const = default;
};

struct RankHello;
struct StepReport;
struct BucketReport;
struct EpochReport;
struct ShardReport;
struct DeviceSample;
struct HostSample;
struct RankState;
struct ClockSync;
struct Checkpoint;
struct Notice;
struct Scalar;
struct RankGoodbye;
struct DeviceLink;
struct GroupReport;
struct CollectiveReport;

/// Any record. Code that passes records on needs only this header; code that reads them includes
/// records.h.
using Record = std::variant<RankHello, StepReport, BucketReport, EpochReport, ShardReport,
                            DeviceSample, HostSample, RankState, ClockSync, Checkpoint, Notice,
                            Scalar, RankGoodbye, DeviceLink, GroupReport, CollectiveReport>;

}  // namespace ringside::messages
