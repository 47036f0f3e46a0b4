// Results of a study: mean and spread of each setting's repeats against one baseline. Time as in
// speedup.h: from the first step to the end, without start-up. Pure functions of plain data.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/analysis/scaling/gate.h"
#include "gui/analysis/scaling/pace.h"
#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"

namespace ringside::analysis {

struct AccuracyAt {
  double seconds = 0;   ///< since the first step
  double accuracy = 0;  ///< 0 .. 1
};

/// Measurements of one run for a study; NaN for values that it did not record.
struct RunMeasure {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double seconds = kNone;  ///< first step to the end of the last epoch
  double train_pass_s = kNone;
  double whole_run_s = kNone;
  double wall_s = kNone;        ///< from its start to its newest record, including start-up
  Step first_step = 0;          ///< above 0: it went on from a snapshot
  Step steps = 0;               ///< trained by all ranks, from first_step on
  std::int64_t samples = 0;     ///< trained by all ranks together
  double steady_per_s = kNone;  ///< samples per second after the warm-up
  Step warm_up_steps = 0;       ///< number of steps that steady_per_s leaves out
  double val_accuracy = kNone;  ///< of the last validation
  double best_val_accuracy = kNone;
  double val_loss = kNone;  ///< of the last validation
  double best_val_loss = kNone;
  double train_loss = kNone;   ///< of the last epoch, or else of the newest step
  std::optional<Pace> pace{};  ///< after the warm-up; nothing: too few steps
  std::vector<AccuracyAt> validations;
};
/// Measures a run that has finished.
RunMeasure measure(const model::RunModel& model);

/// Statistics of the known values.
struct Spread {
  std::size_t count = 0;
  double mean = RunMeasure::kNone;
  double deviation = 0;  ///< standard deviation of the sample (n - 1); 0 for one value
  double low = RunMeasure::kNone;
  double high = RunMeasure::kNone;
};
Spread spread_of(std::span<const double> values);

struct ScalingSetting {
  std::string key;     ///< "weak-4"
  std::string series;  ///< "baseline", "weak", "strong", "dp" or a precision
  std::int64_t devices = 1;
  bool precision_differs = false;
  std::vector<RunMeasure> runs;  ///< the finished runs
};

struct ScalingPoint {
  std::string key;
  std::string series;
  std::int64_t devices = 1;
  bool measured = false;  ///< it and the baseline have at least one finished run
  Spread seconds;
  Spread speedup;                         ///< ratio of the mean times, with the combined spread
  double efficiency = RunMeasure::kNone;  ///< speedup / devices; NaN if the precision differs
  Spread samples_per_s;                   ///< samples / seconds
  Spread steady_per_s;
  Spread accuracy;
  double accuracy_delta = RunMeasure::kNone;  ///< difference from the baseline's mean
  double time_cut = RunMeasure::kNone;        ///< 1 - time / baseline's time
  std::optional<bool> fast_enough;            ///< meets the goal's time; nothing for the baseline
  std::optional<bool> accurate_enough;
  double iso_seconds = RunMeasure::kNone;         ///< mean time to the target accuracy
  double iso_speedup = RunMeasure::kNone;         ///< ratio of these times
  bool never_reached = false;                     ///< at least one of its runs did not reach it
  double train_pass_speedup = RunMeasure::kNone;  ///< measured by other clocks
  double whole_run_speedup = RunMeasure::kNone;

  bool judged() const { return fast_enough.has_value() && accurate_enough.has_value(); }
  bool passed() const { return judged() && *fast_enough && *accurate_enough; }
};

struct Scaling {
  std::vector<ScalingPoint> points;            ///< in the order of the settings
  double target_accuracy = RunMeasure::kNone;  ///< target of the time to the same accuracy
  /// The target is the goal's; otherwise the baseline's final accuracy.
  bool target_of_goal = false;
};

/// The first setting is the baseline. `goal` is judged for every number of devices.
Scaling scaling_of(std::span<const ScalingSetting> settings,
                   const std::optional<GateLimits>& goal = {});

}  // namespace ringside::analysis
