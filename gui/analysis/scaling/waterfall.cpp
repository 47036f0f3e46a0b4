#include "gui/analysis/scaling/waterfall.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "gui/analysis/progress.h"
#include "gui/analysis/work.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using model::Metric;

constexpr std::size_t kFewestStretches = 8;
constexpr Step kFewestLossSteps = 64;  ///< minimum number of steps for an error estimate
constexpr double kConfidence = 1.96;
constexpr double kLossDeviations = 4;
constexpr double kLeastLossOfStep = 0.02;
constexpr double kByFar = 1.2;

/// Scales the time from the baseline's to the run's number of devices, in whole ns.
std::int64_t shared_out(std::int64_t ns, Rank devices, Rank over) {
  return std::llround(static_cast<long double>(ns) * static_cast<long double>(devices) /
                      static_cast<long double>(over));
}

struct Spread {
  double mean = 0;
  double deviation = 0;
  std::size_t count = 0;
  double error() const { return deviation / std::sqrt(static_cast<double>(count)); }
};

Spread spread_of(std::span<const double> values) {
  Spread spread;
  spread.count = values.size();
  if (values.empty()) return spread;
  const auto n = static_cast<double>(values.size());
  spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  if (values.size() > 1) spread.deviation = std::sqrt(squares / (n - 1));
  return spread;
}

bool tells_spread(const SpentTime& spent) {
  return spent.stretches.size() >= kFewestStretches && spent.steps.count() >= kFewestLossSteps;
}

/// Mean over ranks and steps of each stretch, ns.
std::vector<double> by_stretch(const SpentTime& spent, Loss loss, Rank ranks) {
  std::vector<double> values;
  for (const auto& stretch : spent.stretches) {
    values.push_back(static_cast<double>(stretch.ns[index_of(loss)]) /
                     static_cast<double>(stretch.steps.count() * ranks));
  }
  return values;
}

/// Half of the 95 % interval, for all steps together; NaN if unknown.
double error_of(const SpentTime& spent, Loss loss, Rank ranks) {
  if (!is_of_steps(loss) || !tells_spread(spent)) return std::numeric_limits<double>::quiet_NaN();
  const auto spread = spread_of(by_stretch(spent, loss, ranks));
  return kConfidence * spread.error() * static_cast<double>(spent.steps.count());
}

/// The stretch whose loss is far larger than in all others; empty: none.
StepRange worst_of(const SpentTime& spent, Loss loss, Rank ranks) {
  if (!is_of_steps(loss) || !tells_spread(spent)) return {};
  auto values = by_stretch(spent, loss, ranks);
  const auto most = std::ranges::max_element(values);
  const double highest = *most;
  const auto place = static_cast<std::size_t>(most - values.begin());
  values.erase(most);
  const Spread others = spread_of(values);
  const bool by_far =
      highest > others.mean + kLossDeviations * others.deviation && highest > kByFar * others.mean;
  return by_far ? spent.stretches[place].steps : StepRange{};
}

/// Time of a rank in ns per step over a range.
double per_step(const model::RankModel& rank, std::span<const Metric> metrics, StepRange range) {
  double total = 0;
  for (const Metric metric : metrics) {
    const auto sum = rank.series(metric).sum(static_cast<std::size_t>(range.begin),
                                             static_cast<std::size_t>(range.end));
    if (sum.count > 0) total += sum.mean();
  }
  return total;
}

/// The slowest rank, if it is above the others in all stretches and by more than a small part of
/// the step.
std::optional<SlowRank> slow_rank(const model::RunModel& model, const SpentTime& spent,
                                  std::span<const Metric> metrics) {
  const auto ranks = model.ranks();
  if (ranks.size() < 2 || !tells_spread(spent)) return std::nullopt;
  const auto of = [&](Rank rank, StepRange range) {
    return per_step(*model.rank(rank), metrics, range);
  };
  const Rank slowest = *std::ranges::max_element(
      ranks, [&](Rank a, Rank b) { return of(a, spent.steps) < of(b, spent.steps); });
  std::vector<double> excess;
  for (const auto& stretch : spent.stretches) {
    double all = 0;
    for (const Rank rank : ranks) all += of(rank, stretch.steps);
    const double own = of(slowest, stretch.steps);
    excess.push_back(own - (all - own) / static_cast<double>(ranks.size() - 1));
  }
  const Spread spread = spread_of(excess);
  constexpr Metric kWhole[] = {Metric::kStepTime};
  const double step_ns = per_step(*model.rank(slowest), kWhole, spent.steps);
  if (spread.mean < kLossDeviations * spread.error() || spread.mean < kLeastLossOfStep * step_ns)
    return std::nullopt;
  return SlowRank{slowest, spread.mean};
}

LostTime lost_time(Loss loss, const model::RunModel& run, const SpentTime& ours,
                   const model::RunModel& baseline, const SpentTime& theirs, const Waterfall& all) {
  LostTime lost;
  lost.loss = loss;
  const std::size_t i = index_of(loss);
  lost.measured = ours.measured[i] && theirs.measured[i];
  lost.error_ns = std::numeric_limits<double>::quiet_NaN();
  if (!lost.measured || loss == Loss::kNotMeasured) return lost;
  lost.run_ns = ours.ns[i];
  lost.ideal_ns = shared_out(theirs.ns[i], all.speedup.baseline_devices, all.speedup.devices);
  lost.times = ours.times[i];
  lost.baseline_times = theirs.times[i];
  const double share =
      static_cast<double>(all.speedup.baseline_devices) / static_cast<double>(all.speedup.devices);
  lost.error_ns = std::hypot(error_of(ours, loss, run.world_size()),
                             share * error_of(theirs, loss, baseline.world_size()));
  lost.worst = worst_of(ours, loss, run.world_size());
  constexpr Metric kData[] = {Metric::kDataWait};
  constexpr Metric kWork[] = {Metric::kHostToDevice, Metric::kForward, Metric::kBackward};
  if (loss == Loss::kDataWait) lost.slow = slow_rank(run, ours, kData);
  if (loss == Loss::kImbalance || loss == Loss::kCompute) lost.slow = slow_rank(run, ours, kWork);
  return lost;
}

/// Sets the remainder that no other part contains, and the share of each part in x.
void finish(Waterfall& all) {
  LostTime& rest = all.parts[index_of(Loss::kNotMeasured)];
  rest.measured = true;
  rest.run_ns = all.run_ns;
  rest.ideal_ns = all.ideal_ns;
  for (const LostTime& part : all.parts) {
    if (part.loss == Loss::kNotMeasured) continue;
    rest.run_ns -= part.run_ns;
    rest.ideal_ns -= part.ideal_ns;
  }
  // The loss is ideal - measured = baseline / ideal time - baseline / run time.
  const double per_ns = static_cast<double>(all.baseline_ns) / static_cast<double>(all.ideal_ns) /
                        static_cast<double>(all.run_ns);
  for (LostTime& part : all.parts) part.x = static_cast<double>(part.lost_ns()) * per_ns;
}

double samples_per_step(const model::RunModel& model, StepRange steps, Rank devices) {
  const double samples = samples_between(model, steps.begin, steps.end);
  return steps.count() == 0 ? 0 : samples / static_cast<double>(steps.count() * devices);
}

/// Moves a single device's transfer to kOwnExchange: it exchanges only with itself.
void part_own_exchange(SpentTime& alone) {
  const auto move = [](auto& ns) {
    ns[index_of(Loss::kOwnExchange)] = std::exchange(ns[index_of(Loss::kTransfer)], 0);
  };
  move(alone.ns);
  for (SpentTime::Stretch& stretch : alone.stretches) move(stretch.ns);
}

/// Speedup without the time lost by waiting. If the run waited less than the baseline, nothing is
/// subtracted.
double without_waiting(const Waterfall& all) {
  std::int64_t ns = all.run_ns;
  for (const Loss loss : {Loss::kDataWait, Loss::kImbalance})
    ns -= std::max<std::int64_t>(0, all.part(loss).lost_ns());
  ns -= std::max<std::int64_t>(
      0, all.part(Loss::kTransfer).lost_ns() + all.part(Loss::kOwnExchange).lost_ns());
  return ns > 0 ? static_cast<double>(all.baseline_ns) / static_cast<double>(ns) : 0;
}

std::optional<TrainedTime> compared_time(const model::RunModel& model, const Speedup& speedup) {
  return speedup.epochs > 0 ? time_to_epoch(model, speedup.epochs)
                            : time_to_samples(model, speedup.samples);
}

/// Start-up time without the time in the queue, which depends on earlier runs.
std::optional<double> start_up_s(const model::RunModel& model) {
  const std::int64_t began = began_ns(model);
  if (began == 0 || model.training_began_ns() == 0) return std::nullopt;
  return static_cast<double>(std::max<std::int64_t>(0, model.training_began_ns() - began)) / 1e9;
}

}  // namespace

std::string_view name_of(Loss loss) {
  static constexpr std::string_view kNames[] = {
      "data_wait",  "compute_imbalance", "exposed_transfer", "baseline_exchange",
      "compute",    "step_overhead",     "optimizer",        "evaluation",
      "checkpoint", "not_measured"};
  return index_of(loss) < kLosses ? kNames[index_of(loss)] : "unknown";
}

Waterfall waterfall(const model::RunModel& run, const model::RunModel* baseline, bool ended) {
  Waterfall all;
  all.speedup = speedup(run, baseline, ended);
  if (!all.given()) return all;
  const auto our_time = compared_time(run, all.speedup);
  const auto their_time = compared_time(*baseline, all.speedup);
  const SpentTime ours = spent_time(run, *our_time);
  SpentTime theirs = spent_time(*baseline, *their_time);
  if (baseline->world_size() == 1 && run.world_size() > 1) part_own_exchange(theirs);
  all.ideal =
      static_cast<double>(all.speedup.devices) / static_cast<double>(all.speedup.baseline_devices);
  all.run_ns = ours.total_ns;
  all.baseline_ns = theirs.total_ns;
  all.ideal_ns = shared_out(all.baseline_ns, all.speedup.baseline_devices, all.speedup.devices);
  for (std::size_t i = 0; i < kLosses; ++i)
    all.parts[i] = lost_time(static_cast<Loss>(i), run, ours, *baseline, theirs, all);
  finish(all);
  all.without_waiting = without_waiting(all);
  all.steps = ours.steps;
  all.late = straggler(run, arrival_clock(run, ours.steps));
  all.transfer = transfer(run, ours.steps);
  all.samples_per_step = samples_per_step(run, ours.steps, all.speedup.devices);
  all.baseline_samples_per_step =
      samples_per_step(*baseline, theirs.steps, all.speedup.baseline_devices);
  all.start_up_s = start_up_s(run);
  all.baseline_start_up_s = start_up_s(*baseline);
  return all;
}

}  // namespace ringside::analysis
