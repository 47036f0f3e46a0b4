// The process groups that a rank is a member of, and what it did in them together with their other
// members. Plain data; how fields are encoded: record_types.h.
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

/// Operations of a group, of whichever form: of one tensor, of lists, coalesced. The wire's
/// numbers, never renumbered.
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

/// One process group of a rank, said before its first collective, and again where more is known of
/// it. Ranks speak of the same group where name and ranks are the same.
struct GroupReport {
  static constexpr RecordType kType = RecordType::kGroupReport;
  static constexpr std::string_view kName = "group";
  static constexpr std::size_t kFieldsAtFirst = 6;  ///< programs that know no more may post it
  std::int32_t group = 0;           ///< this rank's own number for it, in one attempt
  std::string name;                 ///< alike on all of its ranks, and of no other group with them
  std::string dimension;            ///< of the device mesh: "dp_shard"; empty: none is known
  std::string purpose;              ///< what the program or the library calls it; may be empty
  std::string group_backend;        ///< "gloo", "nccl"
  std::vector<std::int32_t> ranks;  ///< global ranks of its members, in the order of the group
  std::uint8_t same_samples = 0;    ///< 1: they share in the work on the same; 0: not known, or not

  RINGSIDE_FIELDS(group, name, dimension, purpose, group_backend, ranks, same_samples)
};

/// One collective of one rank. Times are mono_ns.
struct CollectiveReport {
  static constexpr RecordType kType = RecordType::kCollectiveReport;
  static constexpr std::string_view kName = "collective";
  Step step = 0;                 ///< under way when it was entered
  std::int32_t group = 0;        ///< as in the GroupReport of this rank
  std::uint8_t operation{};      ///< Collective
  std::int64_t number = 0;       ///< from 0: in the group; of sends and receives between those two
  std::int32_t peer = -1;        ///< global rank at the other end of a send or a receive
  std::int64_t size_bytes = -1;  ///< input of this rank, or its output if it has no input
  std::int64_t entered_ns = 0;   ///< the program asked for it
  std::int64_t issued_ns = 0;    ///< when the call returned or began to wait
  std::int64_t done_ns = -1;     ///< it was complete here; -1: not known
  /// This rank's own time before it: since the collective before was complete, or had been issued
  /// where nobody had waited for it; -1: not known.
  std::int64_t own_ns = -1;
  std::uint8_t on_device = 0;  ///< 1: it was only put into a queue when it was entered and issued

  RINGSIDE_FIELDS(step, group, operation, number, peer, size_bytes, entered_ns, issued_ns, done_ns,
                  own_ns, on_device)
  RINGSIDE_UNKNOWN(peer, done_ns, own_ns)
};

}  // namespace ringside::messages
