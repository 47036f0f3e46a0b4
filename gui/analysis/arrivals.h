// Who arrives last at the all-reduce, how often and by how much. Compares when the last gradient
// bucket of a step was ready on every rank, on the clock of node 0. Pure functions of the model.
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
  double mean_wait_ns = 0;  ///< how long it waits for the slowest, mean over all compared steps
  double mean_own_work_ns = 0;  ///< data + host to device + forward + backward
};

struct ArrivalClock {
  StepRange range;
  Step compared = 0;                ///< steps where every rank said when it was ready
  Step undecided = 0;               ///< of them, closer than the clocks can tell
  std::int64_t uncertainty_ns = 0;  ///< of the comparison; 0 on one node's CPU slots
  bool clocks_known = true;  ///< false: several nodes without a clock comparison; nobody is named
  std::vector<RankArrival> ranks;  ///< ascending by rank; empty with fewer than 2 ranks
};
ArrivalClock arrival_clock(const model::RunModel& model, StepRange range);

/// Who was last in one step, and by how much; nothing when not all ranks said so or the clocks
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
/// For scripts; never changes. Empty: kUnknown.
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

/// The rank to name, or nothing. Named only when it is last in at least half of the decided steps
/// and more often than chance explains (4 standard deviations above 1 / ranks), when it is late by
/// more than the clock uncertainty and by at least 2 % of the step, and when at least 20 steps were
/// compared.
std::optional<Straggler> straggler(const model::RunModel& model, const ArrivalClock& clock);

}  // namespace ringside::analysis
