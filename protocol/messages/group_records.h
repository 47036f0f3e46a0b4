// The process groups of a rank, and its collectives in them. Plain data; record_types.h describes
// the encoding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/fields.h"
#include "protocol/messages/record_types.h"

namespace ringside::messages {

/// Collective operations, each including its list and coalesced variants. Wire numbers: never
/// renumber.
enum class Collective : std::uint8_t {
  kAllReduce = 0,
  kAllGather = 1,
  kReduceScatter = 2,
  kBroadcast = 3,
  kReduce = 4,
  kGather = 5,
  kScatter = 6,
  kAllToAll = 7,
  kBarrier = 8,
  kSend = 9,
  kReceive = 10,
};

/// For people and scripts: "all-gather".
inline std::string_view name_of(Collective operation) {
  constexpr std::array<std::string_view, 11> kNames{
      "all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce", "gather",
      "scatter",    "all-to-all", "barrier",        "send",      "receive"};
  const auto place = static_cast<std::size_t>(operation);
  return place < kNames.size() ? kNames[place] : "another operation";
}

/// One process group of a rank, reported before its first collective and again when more becomes
/// known. Two ranks mean the same group when name and ranks are equal.
struct GroupReport {
  static constexpr RecordType kType = RecordType::kGroupReport;
  static constexpr std::string_view kName = "group";
  static constexpr std::size_t kFieldsAtFirst = 6;  ///< older programs may post only these
  std::int32_t group = 0;           ///< id that this rank gave the group, valid for one attempt
  std::string name;                 ///< equal on all of its ranks; no other group of the same ranks
                                    ///< has it
  std::string dimension;            ///< dimension of the device mesh: "dp_shard"; empty: unknown
  std::string purpose;              ///< description by the program or the library; may be empty
  std::string group_backend;        ///< "gloo", "nccl"
  std::vector<std::int32_t> ranks;  ///< global ranks of its members, in group order
  std::uint8_t same_samples = 0;    ///< 1: its members work on the same samples; 0: they do not, or
                                    ///< unknown

  RINGSIDE_FIELDS(group, name, dimension, purpose, group_backend, ranks, same_samples)
};

/// One collective of one rank. Times are mono_ns.
struct CollectiveReport {
  static constexpr RecordType kType = RecordType::kCollectiveReport;
  static constexpr std::string_view kName = "collective";
  Step step = 0;                 ///< step in which it was entered
  std::int32_t group = 0;        ///< as in this rank's GroupReport
  std::uint8_t operation{};      ///< Collective
  std::int64_t number = 0;       ///< number within the group, from 0; for sends and receives,
                                 ///< between the two ranks
  std::int32_t peer = -1;        ///< global rank of the other end of a send or receive
  std::int64_t size_bytes = -1;  ///< input of this rank, or its output if it has no input
  std::int64_t entered_ns = 0;   ///< when the program called it
  std::int64_t issued_ns = 0;    ///< when the call returned or began to wait
  std::int64_t done_ns = -1;     ///< when it was complete on this rank; -1: unknown
  /// Time that this rank spent before it: since the previous collective was complete, or since it
  /// was issued if nobody waited for it; -1: unknown.
  std::int64_t own_ns = -1;
  std::uint8_t on_device = 0;  ///< 1: asynchronous on a device: entered and issued are when it was
                               ///< enqueued

  RINGSIDE_FIELDS(step, group, operation, number, peer, size_bytes, entered_ns, issued_ns, done_ns,
                  own_ns, on_device)
  RINGSIDE_UNKNOWN(peer, done_ns, own_ns)
};

}  // namespace ringside::messages
