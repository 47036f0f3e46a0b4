// Whether one rank is to be named as the one everybody waits for, and for what reason.
#include <algorithm>
#include <cmath>

#include "gui/analysis/arrivals.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using model::Metric;

constexpr Step kFewestSteps = 20;
constexpr double kLeastShare = 0.5;
constexpr double kLeastOfStep = 0.02;
constexpr double kDeviations = 4;

std::size_t at(Step step) { return static_cast<std::size_t>(std::max<Step>(0, step)); }

/// Of one metric: this rank's mean beyond the mean of the others, ns. 0 where it is not known.
double excess(const model::RunModel& model, const ArrivalClock& clock, Rank rank, Metric metric) {
  double own = 0;
  double others = 0;
  int counted = 0;
  for (const RankArrival& arrival : clock.ranks) {
    const auto sum =
        model.rank(arrival.rank)->series(metric).sum(at(clock.range.begin), at(clock.range.end));
    if (sum.count == 0) return 0;
    if (arrival.rank == rank) {
      own = sum.mean();
    } else {
      others += sum.mean();
      ++counted;
    }
  }
  return counted == 0 ? 0 : own - others / counted;
}

/// The phase that takes most of the extra time, when it takes at least half of it.
Cause cause_of(const model::RunModel& model, const ArrivalClock& clock, Rank rank,
               double total_excess) {
  constexpr std::pair<Metric, Cause> kPhases[] = {{Metric::kDataWait, Cause::kLoadingData},
                                                  {Metric::kHostToDevice, Cause::kCopying},
                                                  {Metric::kForward, Cause::kForward},
                                                  {Metric::kBackward, Cause::kBackward},
                                                  {Metric::kOptimizer, Cause::kOptimizer}};
  Cause cause = Cause::kUnknown;
  double largest = total_excess / 2;
  for (const auto& [metric, name] : kPhases) {
    const double more = excess(model, clock, rank, metric);
    if (more <= 0 || more < largest) continue;
    largest = more;
    cause = name;
  }
  return cause;
}

double mean_step_ns(const model::RunModel& model, const ArrivalClock& clock, Rank rank) {
  return model.rank(rank)
      ->series(Metric::kStepTime)
      .sum(at(clock.range.begin), at(clock.range.end))
      .mean();
}

double others_wait(const ArrivalClock& clock, Rank rank) {
  double wait = 0;
  for (const RankArrival& other : clock.ranks) wait += other.rank == rank ? 0 : other.mean_wait_ns;
  return wait / static_cast<double>(clock.ranks.size() - 1);
}

/// More often last than a fair draw among the ranks explains, and at least every second time.
bool often_enough(const ArrivalClock& clock, double share) {
  const double chance = 1.0 / static_cast<double>(clock.ranks.size());
  const auto steps = static_cast<double>(clock.compared - clock.undecided);
  return share >= kLeastShare &&
         share >= chance + kDeviations * std::sqrt(chance * (1 - chance) / steps);
}

}  // namespace

std::string_view name_of(Cause cause) {
  constexpr std::string_view kNames[] = {"", "data", "copy", "forward", "backward", "optimizer"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::optional<Straggler> straggler(const model::RunModel& model, const ArrivalClock& clock) {
  const Step decided = clock.compared - clock.undecided;
  if (clock.ranks.size() < 2 || !clock.clocks_known || decided < kFewestSteps) return std::nullopt;
  const auto worst =
      std::max_element(clock.ranks.begin(), clock.ranks.end(),
                       [](const auto& a, const auto& b) { return a.times_last < b.times_last; });
  const double of_compared =
      static_cast<double>(worst->times_last) / static_cast<double>(clock.compared);
  if (!often_enough(clock, of_compared)) return std::nullopt;
  if (worst->mean_late_ns <= static_cast<double>(clock.uncertainty_ns)) return std::nullopt;
  const double step_ns = mean_step_ns(model, clock, worst->rank);
  if (std::isnan(step_ns) || worst->mean_late_ns < kLeastOfStep * step_ns) return std::nullopt;

  Straggler found;
  found.rank = worst->rank;
  found.share = of_compared;
  found.steps = clock.compared;
  found.late_ns = worst->mean_late_ns;
  found.excess_ns = excess(model, clock, worst->rank, Metric::kOwnWork) +
                    excess(model, clock, worst->rank, Metric::kOptimizer);
  found.cause =
      found.excess_ns > 0 ? cause_of(model, clock, worst->rank, found.excess_ns) : Cause::kUnknown;
  found.others_wait_ns = others_wait(clock, worst->rank);
  found.cost_ns = of_compared * worst->mean_late_ns;
  return found;
}

}  // namespace ringside::analysis
