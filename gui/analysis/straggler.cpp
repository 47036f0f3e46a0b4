// Decides whether one rank is named as the straggler, and why it is late.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "gui/analysis/arrivals.h"
#include "gui/model/machine_model.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using model::Metric;

constexpr Step kFewestSteps = 20;
constexpr double kLeastShare = 0.5;
constexpr double kLeastOfStep = 0.03;
constexpr double kDeviations = 4;
/// Quantiles that count as quick steps of a rank: with a core of its own, and if it shares a core
/// or only arrival times are compared.
constexpr double kQuick = 1.0 / 3;
constexpr double kQuickest = 1.0 / 5;
constexpr Step kMostLookedAt = 2048;
constexpr std::int64_t kBetweenReadingsNs = 1'000'000'000;

/// This rank's mean of a metric above the mean of the others, in ns; 0 if unknown.
double excess(const model::RunModel& model, const ArrivalClock& clock, Rank rank, Metric metric) {
  double own = 0;
  double others = 0;
  int counted = 0;
  for (const RankArrival& arrival : clock.ranks) {
    const auto sum =
        model.rank(arrival.rank)
            ->series(metric)
            .sum(model::step_index(clock.range.begin), model::step_index(clock.range.end));
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

double mean_step_ns(const model::RunModel& model, const ArrivalClock& clock, Rank rank) {
  return model.rank(rank)
      ->series(Metric::kStepTime)
      .sum(model::step_index(clock.range.begin), model::step_index(clock.range.end))
      .mean();
}

double others_wait(const ArrivalClock& clock, Rank rank) {
  double wait = 0;
  for (const RankArrival& other : clock.ranks) wait += other.rank == rank ? 0 : other.mean_wait_ns;
  return wait / static_cast<double>(clock.ranks.size() - 1);
}

/// Whether it is last more often than chance explains, and in at least half of the steps.
bool often_enough(const ArrivalClock& clock, double share) {
  const double chance = 1.0 / static_cast<double>(clock.ranks.size());
  const auto steps = static_cast<double>(clock.compared - clock.undecided);
  return share >= kLeastShare &&
         share >= chance + kDeviations * std::sqrt(chance * (1 - chance) / steps);
}

/// One quantity over some steps, in ns: the rank's own values, and those of all others.
struct Compared {
  std::vector<double> own;
  std::vector<double> others;
  bool enough() const { return own.size() >= kFewestSteps / 2 && !others.empty(); }
};

double quantile(std::vector<double>& values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  const auto found = values.begin() + std::min(place, std::ssize(values) - 1);
  std::nth_element(values.begin(), found, values.end());
  return *found;
}

/// Reads only every n-th step of a long range, which is enough for a decision.
Step stride_of(StepRange range) { return std::max<Step>(1, range.count() / kMostLookedAt); }

Compared compare(const model::RunModel& model, const ArrivalClock& clock, Rank rank, Metric metric,
                 StepRange range) {
  Compared compared;
  const Step stride = stride_of(range);
  for (const RankArrival& arrival : clock.ranks) {
    const auto& series = model.rank(arrival.rank)->series(metric);
    auto& values = arrival.rank == rank ? compared.own : compared.others;
    for (Step step = range.begin; step < range.end; step += stride) {
      const double value = static_cast<double>(series.at(model::step_index(step)));
      if (std::isfinite(value)) values.push_back(value);
    }
  }
  return compared;
}

/// Lateness of the rank behind the latest of the others; the usual value is 0.
Compared compare_arrivals(const model::RunModel& model, const ArrivalClock& clock, Rank rank,
                          StepRange range) {
  Compared compared;
  compared.others.push_back(0);
  const Step stride = stride_of(range);
  std::vector<std::int64_t> latest(model::step_index((range.count() + stride - 1) / stride),
                                   std::numeric_limits<std::int64_t>::min());
  std::vector<bool> unknown(latest.size());
  const auto ready_at = [&](Rank of, std::size_t place) {
    return model.rank(of)->last_ready_ns.at(
        model::step_index(range.begin + static_cast<Step>(place) * stride));
  };
  // Loops over ranks first, since the times of one rank are contiguous.
  for (const RankArrival& arrival : clock.ranks) {
    for (std::size_t i = 0; i < latest.size(); ++i) {
      const std::int64_t ready = ready_at(arrival.rank, i);
      if (model::is_absent(ready)) unknown[i] = true;
      if (arrival.rank != rank) latest[i] = std::max(latest[i], ready);
    }
  }
  for (std::size_t i = 0; i < latest.size(); ++i) {
    if (!unknown[i]) compared.own.push_back(static_cast<double>(ready_at(rank, i) - latest[i]));
  }
  return compared;
}

/// Factor by which both forward and backward of the rank's quick steps take longer than usual ones
/// of the others; at least 1.
double even_slow_down(const model::RunModel& model, const ArrivalClock& clock, Rank rank,
                      StepRange range) {
  double least = std::numeric_limits<double>::infinity();
  for (const Metric metric : {Metric::kForward, Metric::kBackward}) {
    Compared compared = compare(model, clock, rank, metric, range);
    if (!compared.enough()) return 1;
    const double usual = quantile(compared.others, 0.5);
    if (usual > 0) least = std::min(least, quantile(compared.own, kQuickest) / usual);
  }
  return std::isfinite(least) ? std::max(1.0, least) : 1;
}

/// Excess of a phase in this rank's quick steps over the others' usual steps, in ns.
double beyond(const model::RunModel& model, const ArrivalClock& clock, Rank rank, Metric metric,
              StepRange range, bool full) {
  Compared compared = compare(model, clock, rank, metric, range);
  if (!compared.enough()) return 0;
  const double slowed = full ? even_slow_down(model, clock, rank, range) : 1;
  return quantile(compared.own, full ? kQuickest : kQuick) -
         slowed * quantile(compared.others, 0.5);
}

double arrival_beyond(const model::RunModel& model, const ArrivalClock& clock, Rank rank,
                      StepRange range) {
  Compared compared = compare_arrivals(model, clock, rank, range);
  return compared.enough() ? quantile(compared.own, kQuickest) : 0;
}

/// Whether no core of the rank's host was idle during these steps, so that ranks waited for one.
bool host_full(const model::RunModel& model, Rank rank, StepRange range) {
  const model::RankModel& known = *model.rank(rank);
  const auto host = model.hosts().find(known.node);
  const std::int64_t first = known.end_ns.at(model::step_index(range.begin));
  const std::int64_t last = known.end_ns.at(model::step_index(range.end - 1));
  if (host == model.hosts().end() || model::is_absent(first) || model::is_absent(last))
    return false;
  double sum = 0;
  double readings = 0;
  for (const model::Sample& sample : host->second.cpu.samples()) {
    if (sample.at_ns < first - kBetweenReadingsNs || sample.at_ns > last + kBetweenReadingsNs)
      continue;
    sum += static_cast<double>(sample.value);
    ++readings;
  }
  return readings > 0 && sum / readings >= 100 * kFullHost;
}

/// The phase that always takes longer on this rank, and the lower of its excesses in both halves of
/// the steps, in ns.
std::pair<double, Cause> lasting(const model::RunModel& model, const ArrivalClock& clock,
                                 Rank rank) {
  constexpr std::pair<Metric, Cause> kPhases[] = {{Metric::kDataWait, Cause::kLoadingData},
                                                  {Metric::kHostToDevice, Cause::kCopying},
                                                  {Metric::kForward, Cause::kForward},
                                                  {Metric::kBackward, Cause::kBackward},
                                                  {Metric::kOptimizer, Cause::kOptimizer}};
  const StepRange all{std::max<Step>(0, clock.range.begin), clock.range.end};
  const Step middle = all.begin + all.count() / 2;
  const StepRange early{all.begin, middle};
  const StepRange late{middle, all.end};
  const bool full = host_full(model, rank, all);
  std::pair<double, Cause> most{0, Cause::kUnknown};
  for (const auto& [metric, cause] : kPhases) {
    // Both halves must agree; if the first shows nothing, the second is not read.
    double longer = beyond(model, clock, rank, metric, early, full);
    if (longer > most.first)
      longer = std::min(longer, beyond(model, clock, rank, metric, late, full));
    if (longer > most.first) most = {longer, cause};
  }
  if (full) return most;
  const double behind =
      std::min(arrival_beyond(model, clock, rank, early), arrival_beyond(model, clock, rank, late));
  // If no phase accounts for half of the lateness, the cause is unknown.
  return behind > 2 * most.first ? std::pair{behind, Cause::kUnknown} : most;
}

}  // namespace

std::string_view name_of(Cause cause) {
  constexpr std::string_view kNames[] = {"", "data", "copy", "forward", "backward", "optimizer"};
  return kNames[static_cast<std::size_t>(cause)];
}

const std::optional<Straggler>& recent_straggler(const model::RunModel& model) {
  return model.once<std::optional<Straggler>>([](const model::RunModel& run) {
    const ArrivalClock& recent = recent_arrivals(run);
    const Step begin = run.attempts().empty() ? 0 : run.attempts().back().first_step;
    if (begin <= recent.range.begin) return straggler(run, recent);
    // Ranks of earlier attempts were other processes, perhaps on other devices with other clocks.
    const Step end = recent.range.end;
    return straggler(run, arrival_clock(run, {std::min(begin, end), end}));
  });
}

std::optional<Straggler> straggler(const model::RunModel& model, const ArrivalClock& clock) {
  const Step decided = clock.compared - clock.undecided;
  if (clock.ranks.size() < 2 || !clock.clocks_known || decided < kFewestSteps) return std::nullopt;
  const auto worst = std::ranges::max_element(
      clock.ranks, [](const auto& a, const auto& b) { return a.times_last < b.times_last; });
  const double of_compared =
      static_cast<double>(worst->times_last) / static_cast<double>(clock.compared);
  if (!often_enough(clock, of_compared)) return std::nullopt;
  if (worst->mean_late_ns <= static_cast<double>(clock.uncertainty_ns)) return std::nullopt;
  const double step_ns = mean_step_ns(model, clock, worst->rank);
  if (std::isnan(step_ns) || worst->mean_late_ns < kLeastOfStep * step_ns) return std::nullopt;
  const auto [longer_ns, cause] = lasting(model, clock, worst->rank);
  if (longer_ns < kLeastOfStep * step_ns) return std::nullopt;

  Straggler found;
  found.rank = worst->rank;
  found.share = of_compared;
  found.steps = clock.compared;
  found.late_ns = worst->mean_late_ns;
  found.excess_ns = excess(model, clock, worst->rank, Metric::kOwnWork) +
                    excess(model, clock, worst->rank, Metric::kOptimizer);
  found.cause = cause;
  found.others_wait_ns = others_wait(clock, worst->rank);
  found.cost_ns = of_compared * worst->mean_late_ns;
  return found;
}

}  // namespace ringside::analysis
