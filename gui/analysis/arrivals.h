// Tells which rank arrives last at the all-reduce, how often and by how much. Compares when the
// last gradient bucket of a step was ready on every rank, on the clock of node 0. Pure functions of
// the model.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gui/analysis/range.h"

namespace ringside::analysis {

struct RankArrival {
  Rank rank = 0;
  Step times_last = 0;
  double share = 0;         ///< times_last / steps that could be decided
  double mean_late_ns = 0;  ///< behind the rank before it, mean over the steps where it was last
  double mean_wait_ns = 0;  ///< for the slowest, as far as the clocks tell; over compared steps
  double mean_own_work_ns = 0;  ///< data + host to device + forward + backward
};

struct ArrivalClock {
  StepRange range;
  Step compared = 0;   ///< steps in which every rank reported when it was ready
  Step undecided = 0;  ///< compared steps in which the clocks are too uncertain to name the last
  /// Uncertainty of the comparison in the newest compared step; 0 on one node's CPU slots.
  std::int64_t uncertainty_ns = 0;
  /// Whether the clocks are known in that step; false: several nodes without a clock comparison,
  /// nobody is named.
  bool clocks_known = true;
  std::vector<RankArrival> ranks;  ///< ascending by rank; empty with fewer than 2 ranks
};
ArrivalClock arrival_clock(const model::RunModel& model, StepRange range);
/// The arrivals of recent_steps(), computed once per revision of the model.
const ArrivalClock& recent_arrivals(const model::RunModel& model);

/// The last rank of one step, and by how much; nothing when not all ranks reported or the clocks
/// cannot tell.
struct StepArrival {
  Rank last = 0;
  std::int64_t late_ns = 0;
};
std::optional<StepArrival> last_arrival(const model::RunModel& model, Step step);

/// What a late rank spends its extra time on.
enum class Cause : std::uint8_t {
  kUnknown,
  kLoadingData,
  kCopying,
  kForward,
  kBackward,
  kOptimizer  ///< of the step before: who leaves it late begins the next one late
};
/// Name for scripts; never changes. Empty: kUnknown.
std::string_view name_of(Cause cause);

/// "Rank 2 arrived last in 83 % of the last 200 steps, by 6.1 ms, while loading data": the facts of
/// it.
struct Straggler {
  Rank rank = 0;
  double share = 0;
  Step steps = 0;      ///< compared
  double late_ns = 0;  ///< mean, where it was last
  Cause cause = Cause::kUnknown;
  double excess_ns = 0;       ///< own work and optimizer beyond the mean of the others
  double others_wait_ns = 0;  ///< mean wait of the other ranks per step
  double cost_ns = 0;  ///< time a step would gain if this rank were as early as the one before it
};

/// The rank to name, or nothing. It is last in at least half of at least 20 compared steps and more
/// often than chance explains (4 standard deviations above 1 / ranks), by more than the clock
/// uncertainty and 3 % of the step; and in both halves of these steps a phase takes so much longer
/// even in its quick steps (the lower third) than it usually does on the others (the median), or it
/// arrives so much later in four steps of five. Spikes and drifts, which are most of what jitter
/// is, move neither. On a host without an idle core, where waiting for a core makes a rank late, it
/// is the lower fifth, a slow-down of forward and backward alike is taken off first, and arrivals
/// alone prove nothing. The bounds are measured: tests/insight.md.
std::optional<Straggler> straggler(const model::RunModel& model, const ArrivalClock& clock);
/// The straggler of recent_arrivals() within the newest attempt, computed once per revision of the
/// model.
const std::optional<Straggler>& recent_straggler(const model::RunModel& model);

}  // namespace ringside::analysis
