// What a study measured: each setting's repeats in mean and spread, against one baseline. Time runs
// as in speedup.h: from the first step to the end, start-up left out. Pure functions of plain data.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/analysis/gate.h"
#include "gui/analysis/scaling/pace.h"
#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"

namespace ringside::analysis {

/// A validation: when it was done, and what it gave.
struct AccuracyAt {
  double seconds = 0;   ///< since the first step
  double accuracy = 0;  ///< 0 .. 1
};

/// What one run contributes to a study; NaN for values that it did not record.
struct RunMeasure {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double seconds = kNone;  ///< first step to the end of the last epoch
  double train_pass_s = kNone;
  double whole_run_s = kNone;
  double wall_s = kNone;        ///< from its start to its newest record, start-up included
  std::int64_t samples = 0;     ///< that all ranks together trained
  double steady_per_s = kNone;  ///< samples per second after the warm-up
  Step warm_up_steps = 0;       ///< steps that steady_per_s leaves out
  double val_accuracy = kNone;  ///< of the last validation
  double best_val_accuracy = kNone;
  double val_loss = kNone;  ///< of the last validation
  double best_val_loss = kNone;
  double train_loss = kNone;   ///< of the last epoch, else of the newest step
  std::optional<Pace> pace{};  ///< after the warm-up; nothing: too few steps
  std::vector<AccuracyAt> validations;
};
/// Measures a run that has finished.
RunMeasure measure(const model::RunModel& model);

/// Statistics of the known values.
struct Spread {
  std::size_t count = 0;
  double mean = RunMeasure::kNone;
  double deviation = 0;  ///< of the sample (n - 1); 0 of one value
  double low = RunMeasure::kNone;
  double high = RunMeasure::kNone;
};
Spread spread_of(std::span<const double> values);

struct ScalingSetting {
  std::string key;     ///< "weak-4"
  std::string series;  ///< "baseline", "weak", "strong", "dp" or a precision
  std::int64_t devices = 1;
  bool precision_differs = false;
  std::vector<RunMeasure> runs;  ///< those that have finished
};

struct ScalingPoint {
  std::string key;
  std::string series;
  std::int64_t devices = 1;
  bool measured = false;  ///< by at least one run, and so is the baseline
  Spread seconds;
  Spread speedup;                         ///< ratio of the mean times, with the spread of both
  double efficiency = RunMeasure::kNone;  ///< speedup / devices; NaN when the precision differs
  Spread samples_per_s;                   ///< samples / seconds
  Spread steady_per_s;
  Spread accuracy;
  double accuracy_delta = RunMeasure::kNone;  ///< to the baseline's mean
  double time_cut = RunMeasure::kNone;        ///< 1 - time / baseline's time
  std::optional<bool> fast_enough;            ///< of a goal; nothing for the baseline
  std::optional<bool> accurate_enough;
  double iso_seconds = RunMeasure::kNone;         ///< mean time to the target accuracy
  double iso_speedup = RunMeasure::kNone;         ///< of those times
  bool never_reached = false;                     ///< by at least one of its runs
  double train_pass_speedup = RunMeasure::kNone;  ///< by other clocks
  double whole_run_speedup = RunMeasure::kNone;

  bool judged() const { return fast_enough.has_value() && accurate_enough.has_value(); }
  bool passed() const { return judged() && *fast_enough && *accurate_enough; }
};

struct Scaling {
  std::vector<ScalingPoint> points;            ///< in the order of the settings
  double target_accuracy = RunMeasure::kNone;  ///< of the time to the same accuracy
  bool target_of_goal = false;                 ///< else the baseline's own at its end
};

/// The first setting is the baseline. `goal` is judged on every number of devices.
Scaling scaling_of(std::span<const ScalingSetting> settings,
                   const std::optional<GateLimits>& goal = {});

}  // namespace ringside::analysis
