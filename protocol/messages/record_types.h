// What all records have in common: number of the type, who sent it and when. The records themselves
// stand in the headers named *_records.h, all of them together in records.h. Each has the number of
// its type (kType), its name in JSON and CSV (kName) and one list of fields (`fields`), which
// drives encoding, CSV columns and JSON; its order is the order on the wire (FORMAT.md), so fields
// are only ever appended. Values: times in ns (mono_ns clock unless "wall"), sizes in bytes,
// kUnknownF = not known. Plain data.
#pragma once

#include <bit>
#include <cstdint>
#include <variant>

#include "protocol/base/ids.h"

namespace ringside::messages {

/// A float that is not known: a quiet NaN with its own bit pattern, so that it differs from a NaN
/// that was computed. Ask with is_unknown; every other NaN is a value.
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

/// The sender of a record, its time, and its number among the sender's records. `seq` counts from 0
/// every record a sender produced, lost ones included, so a gap is a loss. Senders are (node,
/// rank); the agent is rank kNoRank.
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

/// Any record. Code that passes one on needs only this name; code that reads one includes
/// records.h.
using Record = std::variant<RankHello, StepReport, BucketReport, EpochReport, ShardReport,
                            DeviceSample, HostSample, RankState, ClockSync, Checkpoint, Notice,
                            Scalar, RankGoodbye, DeviceLink, GroupReport, CollectiveReport>;

}  // namespace ringside::messages
