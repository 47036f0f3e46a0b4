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
  double share = 0;         ///< times_last / decided steps
  double mean_late_ns = 0;  ///< after the rank before it, mean over the steps in which it was last
  /// Mean wait for the slowest rank, as far as the clocks can tell; over compared steps.
  double mean_wait_ns = 0;
  double mean_own_work_ns = 0;  ///< data + host to device + forward + backward
};

struct ArrivalClock {
  StepRange range;
  Step compared = 0;   ///< steps in which every rank reported when it was ready
  Step undecided = 0;  ///< compared steps in which the clocks are too uncertain to name the last
  /// Uncertainty in the newest compared step; 0 for CPU slots on one node.
  std::int64_t uncertainty_ns = 0;
  /// Whether the clocks are known in that step. False if there are several nodes without a clock
  /// comparison; then no rank is named.
  bool clocks_known = true;
  std::vector<RankArrival> ranks;  ///< ascending by rank; empty for fewer than 2 ranks
};
ArrivalClock arrival_clock(const model::RunModel& model, StepRange range);
/// The arrivals of recent_steps(), computed once per revision of the model.
const ArrivalClock& recent_arrivals(const model::RunModel& model);

/// The last rank of one step, and its lateness; nothing if not all ranks reported or the clocks
/// cannot tell.
struct StepArrival {
  Rank last = 0;
  std::int64_t late_ns = 0;
};
std::optional<StepArrival> last_arrival(const model::RunModel& model, Step step);

/// The phase in which a late rank spends its extra time.
enum class Cause : std::uint8_t {
  kUnknown,
  kLoadingData,
  kCopying,
  kForward,
  kBackward,
  kOptimizer  ///< optimizer of the step before, which delays the start of this one
};
/// Name for scripts; never changes. Empty: kUnknown.
std::string_view name_of(Cause cause);

/// Busy share of a host's cores from which on some processes had to wait for a core.
inline constexpr double kFullHost = 0.85;

/// The facts for "Rank 2 arrived last in 83 % of the last 200 steps, by 6.1 ms, while loading
/// data".
struct Straggler {
  Rank rank = 0;
  double share = 0;
  Step steps = 0;      ///< number of compared steps
  double late_ns = 0;  ///< mean over the steps in which it was last
  Cause cause = Cause::kUnknown;
  double excess_ns = 0;       ///< own work and optimizer beyond the mean of the other ranks
  double others_wait_ns = 0;  ///< mean wait of the other ranks per step
  /// How much shorter a step would be if this rank were as early as the one before it.
  double cost_ns = 0;
};

/// The rank to name as straggler, or nothing. It is last in at least half of at least 20 compared
/// steps and more often than chance explains (4 standard deviations above 1 / ranks), by more than
/// the clock uncertainty and 3 % of the step. In addition, in both halves of these steps, one of
/// its phases takes longer even in its quick steps (the lower third) than on the other ranks in
/// usual steps (the median) by that much, or it arrives that much later in four steps of five.
/// Spikes and drifts, which are most of the jitter, change neither. On a host without an idle core,
/// where a rank is late because it waits for a core, the lower fifth is used, a common slow-down of
/// forward and backward is subtracted first, and arrivals alone prove nothing. The bounds were
/// measured: tests/insight.md.
std::optional<Straggler> straggler(const model::RunModel& model, const ArrivalClock& clock);
/// The straggler of recent_arrivals() within the newest attempt, computed once per revision of the
/// model.
const std::optional<Straggler>& recent_straggler(const model::RunModel& model);

}  // namespace ringside::analysis
