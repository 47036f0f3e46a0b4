// The collectives of each process group, for any kind of parallelism: for each group and operation
// the number of calls, bytes, the rank that comes last, the others' wait and the transfer time; and
// the rank that causes the waiting. Pure functions of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/analysis/range.h"
#include "protocol/messages/group_records.h"

namespace ringside::analysis {

struct GroupMember {
  Rank rank = 0;
  Step times_last = 0;
  double mean_wait_ns = 0;  ///< for the last member, over the judged calls
};

struct GroupOperation {
  std::size_t group = 0;  ///< index in GroupStore::groups()
  messages::Collective operation{};
  Step calls = 0;  ///< number of stored calls
  /// Over all timed steps up to the newest with a call of any group; over those with a call for
  /// sends and receives, and if the calls of some steps are not stored.
  double calls_per_step = 0;
  std::optional<double> size_bytes;   ///< mean over calls with a known size
  Step judged = 0;                    ///< calls for which the arrival of each member is known
  double wait_ns = 0;                 ///< mean over all members that waited, in the judged calls
  std::optional<double> transfer_ns;  ///< mean from the last arrival to the last end
  /// Bytes per second over each link of a ring, for all calls with a known transfer time: the "bus
  /// bandwidth" of nccl-tests (doc/PERFORMANCE.md). Nothing for a barrier.
  std::optional<double> link_per_s;
  std::vector<GroupMember> members;  ///< in the group's order; empty if no call is judged
};

/// A rank that delays the others by its own work: its own time before a collective is longer than
/// the others', at the same place of the step. Coming last proves less, since a rank that waits in
/// one group comes late to another.
struct GroupBlame {
  Rank rank = 0;
  std::size_t group = 0;  ///< the group with the largest excess
  messages::Collective operation{};
  Step place = 0;           ///< index among that group's collectives in a step, from 0
  double excess_ns = 0;     ///< per step, median
  double data_wait_ns = 0;  ///< the part of excess_ns spent in a longer data wait; mean
  Step steps = 0;           ///< number of compared steps
  Step most = 0;            ///< number of these in which this rank was the slowest
};

struct Groups {
  std::vector<GroupOperation> rows;  ///< by group, in the order of the groups, then by operation
  Step steps = 0;                    ///< number of steps with a call
  std::optional<GroupBlame> blame;
};
/// One collective of a step: mean times from the begin of the step.
struct LaneCall {
  double entered_ns = 0;  ///< by the first member
  double arrived_ns = 0;  ///< by the last
  double done_ns = 0;     ///< by all; arrived_ns if unknown
  double wait_ns = 0;     ///< mean wait of a member for the last
};

/// The times of a group's collectives within a step.
struct Lane {
  std::size_t group = 0;        ///< index in GroupStore::groups()
  std::vector<LaneCall> calls;  ///< in order
};

/// A call in which members of a group called different operations; different sizes are allowed.
struct Mismatch {
  struct Entered {
    messages::Collective operation{};
    std::vector<Rank> ranks;  ///< ascending
  };
  std::size_t group = 0;
  std::int64_t number = 0;
  Step step = 0;
  std::int64_t at_ns = 0;  ///< when the last member entered
  /// By operation, the most frequent one last; each has ranks.
  std::vector<Entered> entered;
  /// More than half of the group called the last one, which is therefore not to blame.
  bool majority = false;
  bool all_came = false;
};
/// The first mismatch of the run; nothing if there is none.
std::optional<Mismatch> mismatch(const model::RunModel& model);

Groups groups(const model::RunModel& model);
/// The groups, computed once per revision of the model.
const Groups& known_groups(const model::RunModel& model);

/// Groups of several ranks whose times can be compared, over those of recent_steps() that have the
/// most common number of calls.
std::vector<Lane> lanes(const model::RunModel& model);

/// Minimum number of steps, and minimum excess as a share of the step, to name a rank.
inline constexpr Step kLeastGroupSteps = 21;
inline constexpr double kLeastGroupExcess = 0.03;

}  // namespace ringside::analysis
