// Divides one run's time into the parts of the waterfall.
#include <algorithm>
#include <cmath>
#include <map>

#include "gui/analysis/scaling/waterfall.h"
#include "gui/analysis/waits.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_events.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

using messages::Phase;
using model::Metric;
using Sums = std::array<std::int64_t, kLosses>;

constexpr Step kStretches = 16;

std::int64_t ns_of(double seconds) {
  // Limit of three years for a claimed time in seconds, so that sums cannot overflow.
  constexpr double kMost = 1e8;
  return std::llround(std::clamp(seconds, 0.0, kMost) * 1e9);
}

std::int64_t mean_over(Rank ranks, std::int64_t sum) {
  return std::llround(static_cast<double>(sum) / static_cast<double>(ranks));
}

/// Sum over the ranks; nothing if no rank measured it.
std::optional<std::int64_t> sum_of(const model::RunModel& model, Metric metric, StepRange range) {
  std::optional<std::int64_t> total;
  for (const Rank rank : model.ranks()) {
    const auto sum = model.rank(rank)->series(metric).sum(static_cast<std::size_t>(range.begin),
                                                          static_cast<std::size_t>(range.end));
    if (sum.count > 0) total = total.value_or(0) + std::llround(sum.sum);
  }
  return total;
}

std::int64_t or_none(float value) { return std::isfinite(value) ? std::llround(value) : 0; }

/// Total wait of all ranks for the last one to be ready, and the part of it that is due to the last
/// rank's longer wait for data.
struct Waited {
  std::int64_t all = 0;
  std::int64_t for_data = 0;
};

class WaitSum {
 public:
  explicit WaitSum(const model::RunModel& model)
      : ranks_(joined_ranks(model)), waits_(model, ranks_, true) {}

  Waited over(StepRange rest) {
    Waited total;
    while (!ranks_.empty() && rest.count() > 0) {
      const StepRange read = waits_.read(rest);
      for (std::size_t i = 0; i < ranks_.size(); ++i) add(i, read, total);
      rest.begin = read.end;
    }
    return total;
  }

 private:
  void add(std::size_t place, StepRange read, Waited& total) const {
    const model::RankModel& rank = *ranks_[place];
    for (std::size_t k = 0; k < static_cast<std::size_t>(read.count()); ++k) {
      const auto step = static_cast<std::size_t>(read.begin) + k;
      if (!waits_.has(place, k)) continue;
      const Waits::Wait wait = waits_.of(place, k);
      const std::int64_t exposed = or_none(rank.series(Metric::kExposedComm).at(step));
      total.all += std::min(wait.ns, std::max<std::int64_t>(0, exposed));
      if (wait.on == place) continue;
      total.for_data += or_none(ranks_[wait.on]->series(Metric::kDataWait).at(step)) -
                        or_none(rank.series(Metric::kDataWait).at(step));
    }
  }

  std::vector<const model::RankModel*> ranks_;
  Waits waits_;
};

Sums sums_of(const model::RunModel& model, WaitSum& waits, StepRange range) {
  const auto sum = [&](Metric metric) { return sum_of(model, metric, range).value_or(0); };
  const Waited waited = waits.over(range);
  Sums ns{};
  ns[index_of(Loss::kDataWait)] = sum(Metric::kDataWait) + waited.for_data;
  ns[index_of(Loss::kImbalance)] = waited.all - waited.for_data;
  ns[index_of(Loss::kTransfer)] = sum(Metric::kExposedComm) - waited.all;
  ns[index_of(Loss::kCompute)] =
      sum(Metric::kHostToDevice) + sum(Metric::kForward) + sum(Metric::kBackward);
  ns[index_of(Loss::kOptimizer)] = sum(Metric::kOptimizer);
  std::int64_t rest = sum(Metric::kStepTime);
  for (const std::int64_t part : ns) rest -= part;
  ns[index_of(Loss::kOverhead)] = rest;
  return ns;
}

void add_steps(const model::RunModel& model, double steps, SpentTime& spent) {
  WaitSum waits(model);
  const auto whole = static_cast<Step>(steps);
  const Step count = std::min<Step>(kStretches, whole);
  for (Step i = 0; i < count; ++i) {
    const StepRange range{i * whole / count, (i + 1) * whole / count};
    spent.stretches.push_back({range, sums_of(model, waits, range)});
  }
  Sums total{};
  for (const auto& stretch : spent.stretches) {
    for (std::size_t i = 0; i < kLosses; ++i) total[i] += stretch.ns[i];
  }
  if (const double share = steps - static_cast<double>(whole); share > 0) {
    const Sums last = sums_of(model, waits, {whole, whole + 1});
    for (std::size_t i = 0; i < kLosses; ++i)
      total[i] += std::llround(share * static_cast<double>(last[i]));
  }
  for (std::size_t i = 0; i < kLosses; ++i) {
    spent.ns[i] = mean_over(model.world_size(), total[i]);
    if (is_of_steps(static_cast<Loss>(i))) spent.times[i] = spent.steps.count();
  }
}

/// Removes parts that were not measured: their time stays in the rest. Time between the phases is
/// overhead only if all phases were measured.
void drop_unmeasured(const model::RunModel& model, SpentTime& spent) {
  const auto told = [&](Metric metric) { return sum_of(model, metric, spent.steps).has_value(); };
  auto& known = spent.measured;
  known.fill(true);
  known[index_of(Loss::kDataWait)] = told(Metric::kDataWait);
  known[index_of(Loss::kCompute)] = told(Metric::kForward) && told(Metric::kBackward);
  known[index_of(Loss::kOptimizer)] = told(Metric::kOptimizer);
  const bool exchanged = model.world_size() == 1 || told(Metric::kExposedComm);
  known[index_of(Loss::kTransfer)] = known[index_of(Loss::kImbalance)] = exchanged;
  known[index_of(Loss::kOverhead)] = known[index_of(Loss::kDataWait)] &&
                                     known[index_of(Loss::kCompute)] &&
                                     known[index_of(Loss::kOptimizer)] && exchanged;
  for (std::size_t i = 0; i < kLosses; ++i) {
    if (!known[i]) spent.ns[i] = 0;
  }
}

/// Adds evaluations, each with the time of the slowest rank, for which all others wait.
void add_evaluation(const model::RunModel& model, std::int64_t until_ns, SpentTime& spent) {
  for (const Phase phase : {Phase::kValidate, Phase::kTest}) {
    for (const PassResult& pass : passes(model, phase)) {
      if (pass.ended_ns > until_ns) continue;
      spent.ns[index_of(Loss::kEvaluation)] += ns_of(pass.seconds);
      ++spent.times[index_of(Loss::kEvaluation)];
    }
  }
}

/// Adds checkpoints; writes of several ranks at the same time count once.
void add_checkpoints(const model::RunModel& model, std::int64_t until_ns, SpentTime& spent) {
  const auto stops = left_out(model, until_ns);
  std::map<Rank, std::pair<std::int64_t, std::int64_t>> written;  // ns, number of writes
  for (const auto& saved : model.checkpoints()) {
    const std::int64_t at = saved.stamp.mono_ns;
    const bool gone = std::ranges::any_of(
        stops, [at](const Stop& stop) { return at > stop.begin_ns && at <= stop.end_ns; });
    if (at > until_ns || gone) continue;
    auto& [ns, times] = written[saved.stamp.rank];
    ns += ns_of(saved.checkpoint.seconds);
    ++times;
  }
  for (const auto& [rank, one] : written) {
    if (one.first < spent.ns[index_of(Loss::kCheckpoint)]) continue;
    spent.ns[index_of(Loss::kCheckpoint)] = one.first;
    spent.times[index_of(Loss::kCheckpoint)] = one.second;
  }
}

}  // namespace

SpentTime spent_time(const model::RunModel& model, const TrainedTime& time) {
  SpentTime spent;
  spent.total_ns = time.ns;
  spent.steps = {0, static_cast<Step>(std::ceil(time.steps))};
  add_steps(model, time.steps, spent);
  drop_unmeasured(model, spent);
  add_evaluation(model, time.until_ns, spent);
  add_checkpoints(model, time.until_ns, spent);
  std::int64_t rest = spent.total_ns;
  for (const std::int64_t part : spent.ns) rest -= part;
  spent.ns[index_of(Loss::kNotMeasured)] = rest;
  return spent;
}

}  // namespace ringside::analysis
