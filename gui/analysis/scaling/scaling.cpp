#include "gui/analysis/scaling/scaling.h"

#include <algorithm>
#include <cmath>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/final_loss.h"
#include "gui/analysis/progress.h"
#include "gui/analysis/range.h"
#include "gui/analysis/scaling/speedup.h"
#include "gui/model/run_model.h"

namespace ringside::analysis {
namespace {

constexpr double kNone = RunMeasure::kNone;

template <class Value>
std::vector<double> all_of_runs(const ScalingSetting& setting, Value&& value) {
  std::vector<double> all;
  for (const RunMeasure& run : setting.runs) all.push_back(value(run));
  return all;
}

template <class Value>
Spread spread_over(const ScalingSetting& setting, Value&& value) {
  return spread_of(all_of_runs(setting, value));
}

/// Time at which a validation first reached the target accuracy; NaN if none did.
double seconds_to(const RunMeasure& run, double target) {
  const auto reached = std::find_if(run.validations.begin(), run.validations.end(),
                                    [&](const AccuracyAt& one) { return one.accuracy >= target; });
  return reached == run.validations.end() ? kNone : reached->seconds;
}

/// Speedup as the ratio of the mean times. The relative deviations of both are added in quadrature,
/// as for independent values; low and high are those of the worst and the best pair of runs. For
/// the baseline itself only its own deviation counts.
Spread speedups(const Spread& baseline, const Spread& ours, bool is_baseline) {
  const auto relative = [](const Spread& one) { return one.deviation / one.mean; };
  const Spread exact{1, baseline.mean, 0, baseline.mean, baseline.mean};
  const Spread& theirs = is_baseline ? exact : baseline;
  const double ratio = baseline.mean / ours.mean;
  return {ours.count, ratio, ratio * std::hypot(relative(theirs), relative(ours)),
          theirs.low / ours.high, theirs.high / ours.low};
}

double ratio_of_means(const ScalingSetting& baseline, const ScalingSetting& setting,
                      double RunMeasure::*seconds) {
  const auto value = [seconds](const RunMeasure& run) { return run.*seconds; };
  const double ours = spread_over(setting, value).mean;
  const double theirs = spread_over(baseline, value).mean;
  return ours > 0 ? theirs / ours : kNone;
}

/// Adds the time to the target accuracy, and the speedup in it.
void add_iso(const ScalingSetting& baseline, const ScalingSetting& setting, double target,
             ScalingPoint& point) {
  if (std::isnan(target)) return;
  const auto to_target = [target](const RunMeasure& run) { return seconds_to(run, target); };
  const Spread reached = spread_over(setting, to_target);
  point.never_reached = !setting.runs.empty() && reached.count < setting.runs.size();
  if (point.never_reached) return;
  point.iso_seconds = reached.mean;
  const Spread theirs = spread_over(baseline, to_target);
  if (theirs.count == baseline.runs.size() && reached.mean > 0)
    point.iso_speedup = theirs.mean / reached.mean;
}

ScalingPoint point_of(const ScalingSetting& baseline, const ScalingSetting& setting) {
  ScalingPoint point;
  point.key = setting.key;
  point.series = setting.series;
  point.devices = setting.devices;
  const auto seconds = [](const RunMeasure& run) { return run.seconds; };
  const auto accuracy = [](const RunMeasure& run) { return run.val_accuracy; };
  point.seconds = spread_over(setting, seconds);
  point.accuracy = spread_over(setting, accuracy);
  point.steady_per_s = spread_over(setting, [](const RunMeasure& run) { return run.steady_per_s; });
  point.samples_per_s = spread_over(setting, [](const RunMeasure& run) {
    return run.seconds > 0 ? static_cast<double>(run.samples) / run.seconds : kNone;
  });
  const Spread baseline_seconds = spread_over(baseline, seconds);
  const double baseline_s = baseline_seconds.mean;
  point.measured = point.seconds.mean > 0 && baseline_s > 0;
  if (!point.measured) return point;
  point.speedup = speedups(baseline_seconds, point.seconds, setting.key == baseline.key);
  // A setting on one device divides no work, so it has no efficiency, except for the baseline.
  const bool shared = setting.devices > 1 || setting.key == baseline.key;
  point.efficiency = setting.precision_differs || !shared
                         ? kNone
                         : point.speedup.mean / static_cast<double>(setting.devices);
  point.time_cut = 1 - point.seconds.mean / baseline_s;
  point.accuracy_delta = point.accuracy.mean - spread_over(baseline, accuracy).mean;
  point.train_pass_speedup = ratio_of_means(baseline, setting, &RunMeasure::train_pass_s);
  point.whole_run_speedup = ratio_of_means(baseline, setting, &RunMeasure::whole_run_s);
  return point;
}

}  // namespace

RunMeasure measure(const model::RunModel& model) {
  RunMeasure run;
  const Epoch epochs = complete_epochs(model);
  run.seconds = run_times(model).training_s.value_or(kNone);
  if (const auto whole = seconds_to_epoch(model, epochs); whole && epochs > 0) run.seconds = *whole;
  run.train_pass_s = seconds_by(Clock::kTrainPass, model, epochs).value_or(kNone);
  run.whole_run_s = seconds_by(Clock::kWholeRun, model, epochs).value_or(kNone);
  run.wall_s = wall_seconds(model).value_or(kNone);
  if (!model.attempts().empty()) run.first_step = model.attempts().front().first_step;
  run.steps = std::max<Step>(0, model.newest_common_step() + 1 - run.first_step);
  run.samples = samples_trained(model);
  const TimedSteps timed = timed_steps(model);
  const double rate = throughput(model, timed.range).total_per_s;
  run.steady_per_s = rate > 0 ? rate : kNone;
  run.warm_up_steps = timed.left_out;
  for (const PassResult& pass : passes(model, messages::Phase::kValidate)) {
    const auto at = seconds_to_epoch(model, pass.epoch + 1);
    if (pass.complete && at) run.validations.push_back({*at, pass.accuracy()});
    if (pass.complete) run.best_val_loss = std::fmin(run.best_val_loss, pass.loss);
  }
  if (const auto last = newest_validation(model)) {
    run.val_accuracy = last->accuracy();
    run.val_loss = last->loss;
    run.best_val_loss = std::fmin(run.best_val_loss, last->loss);
  }
  if (const auto best = best_validation(model)) run.best_val_accuracy = best->accuracy();
  run.train_loss = final_loss(model).loss;
  run.pace = pace_of(model);
  return run;
}

Spread spread_of(std::span<const double> values) {
  Spread spread;
  double sum = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    spread.low = spread.count == 0 ? value : std::min(spread.low, value);
    spread.high = spread.count == 0 ? value : std::max(spread.high, value);
    ++spread.count;
  }
  if (spread.count == 0) return spread;
  spread.mean = sum / static_cast<double>(spread.count);
  double squares = 0;
  for (const double value : values) {
    if (std::isfinite(value)) squares += (value - spread.mean) * (value - spread.mean);
  }
  if (spread.count > 1)
    spread.deviation = std::sqrt(squares / static_cast<double>(spread.count - 1));
  return spread;
}

Scaling scaling_of(std::span<const ScalingSetting> settings,
                   const std::optional<GateLimits>& goal) {
  Scaling scaling;
  if (settings.empty()) return scaling;
  const ScalingSetting& baseline = settings.front();
  scaling.target_of_goal = goal.has_value();
  scaling.target_accuracy =
      goal ? goal->val_accuracy_above
           : spread_over(baseline, [](const RunMeasure& run) { return run.val_accuracy; }).mean;
  for (const ScalingSetting& setting : settings) {
    ScalingPoint point = point_of(baseline, setting);
    add_iso(baseline, setting, scaling.target_accuracy, point);
    if (goal && point.measured && &setting != &baseline) {
      point.fast_enough = point.time_cut >= goal->least_time_cut;
      if (point.accuracy.count > 0)
        point.accurate_enough = point.accuracy.mean > goal->val_accuracy_above;
    }
    scaling.points.push_back(std::move(point));
  }
  return scaling;
}

}  // namespace ringside::analysis
