// The collectives of each process group, whatever the kind of parallelism: for each group and
// operation how often, how many bytes, which rank comes last, how long the others wait for it, how
// long the transfer takes; and which rank causes the waiting. Pure functions of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/analysis/range.h"
#include "protocol/messages/group_records.h"

namespace ringside::analysis {

/// One member of a group in one operation.
struct GroupMember {
  Rank rank = 0;
  Step times_last = 0;
  double mean_wait_ns = 0;  ///< for the last, over the calls that are judged
};

struct GroupOperation {
  std::size_t group = 0;  ///< its place in GroupStore::groups()
  messages::Collective operation{};
  Step calls = 0;  ///< that are kept
  double calls_per_step = 0;
  std::optional<double> size_bytes;   ///< mean of the calls whose size is known
  Step judged = 0;                    ///< calls of which it is known when each member came
  double wait_ns = 0;                 ///< mean of all who waited, of the judged calls
  std::optional<double> transfer_ns;  ///< mean from the last arrival to the last end
  /// Bytes per second over each link of a ring, of all calls whose transfer is known: "bus
  /// bandwidth" of nccl-tests (doc/PERFORMANCE.md). Nothing for a barrier.
  std::optional<double> link_per_s;
  std::vector<GroupMember> members;  ///< as the group has them; empty where nothing is judged
};

/// A rank that holds the others up by what it does itself: its own time before a collective is
/// longer than the others', at the same place of the step. Coming last says less, since who waits
/// in one group comes late to another.
struct GroupBlame {
  Rank rank = 0;
  std::size_t group = 0;  ///< the group with the largest excess
  messages::Collective operation{};
  Step place = 0;           ///< from 0: among the collectives of that group in a step
  double excess_ns = 0;     ///< in a step, median
  double data_wait_ns = 0;  ///< the part of excess_ns spent in a longer data wait; mean
  Step steps = 0;           ///< that were compared
  Step most = 0;            ///< the compared steps in which this rank was the slowest
};

struct Groups {
  std::vector<GroupOperation> rows;  ///< by group, in the order of the groups, then operation
  Step steps = 0;                    ///< that the rows speak of
  std::optional<GroupBlame> blame;
};
/// One collective of a step: its times from the begin of the step, means.
struct LaneCall {
  double entered_ns = 0;  ///< by the first member
  double arrived_ns = 0;  ///< by the last
  double done_ns = 0;     ///< by all; arrived_ns where that is not known
  double wait_ns = 0;     ///< of a member for the last
};

/// When a group's collectives take place in a step.
struct Lane {
  std::size_t group = 0;        ///< its place in GroupStore::groups()
  std::vector<LaneCall> calls;  ///< in their order
};

/// A call in which members of a group did different things; sizes may differ honestly.
struct Mismatch {
  struct Entered {
    messages::Collective operation{};
    std::vector<Rank> ranks;  ///< ascending
  };
  std::size_t group = 0;
  std::int64_t number = 0;
  Step step = 0;
  std::int64_t at_ns = 0;  ///< when the last member entered
  /// By operation, what most did last; each has ranks.
  std::vector<Entered> entered;
  bool majority = false;  ///< more than half of the group did the last, so that it is not to blame
  bool all_came = false;
};
/// The first of the run; nothing where all did the same.
std::optional<Mismatch> mismatch(const model::RunModel& model);

Groups groups(const model::RunModel& model);
/// Looked for once in a revision of the model.
const Groups& known_groups(const model::RunModel& model);

/// Groups of several ranks whose times can be compared, over those of recent_steps() that have as
/// many calls of the group as most of them.
std::vector<Lane> lanes(const model::RunModel& model);

/// Nobody is named of fewer steps, nor for less than this part of a step.
inline constexpr Step kLeastGroupSteps = 21;
inline constexpr double kLeastGroupExcess = 0.03;

}  // namespace ringside::analysis
