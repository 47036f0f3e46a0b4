// How much faster a run is than its baseline. speedup = baseline time / time for the same epochs
// and samples; efficiency = speedup / devices. Time runs from the beginning of the first step,
// without start-up, to the end of the last compared epoch, including evaluation and checkpoints;
// speedup_by() is for sources that timed otherwise. Pure functions of two models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gui/analysis/accuracy.h"
#include "gui/analysis/arrivals.h"
#include "gui/analysis/progress.h"

namespace ringside::analysis {

enum class NoSpeedup : std::uint8_t {
  kNone,
  kNoBaseline,
  kTooEarly,
  kBaselineTooShort,
  kDifferentWork
};

struct Speedup {
  NoSpeedup missing = NoSpeedup::kNoBaseline;
  std::string why;  ///< a sentence if missing
  double speedup = 0;
  double efficiency =
      0;  ///< speedup / devices of the run * devices of the baseline; NaN if the precision differs
  bool precision_differs = false;
  Rank devices = 1;
  Rank baseline_devices = 1;
  Epoch epochs = 0;          ///< compared epochs; 0: by samples within the first epoch
  std::int64_t samples = 0;  ///< compared samples
  double run_s = 0;          ///< for the compared work
  double baseline_s = 0;
  bool projected = false;  ///< the run has not ended, so the totals below are projections
  /// Time of all planned epochs, for the run at this speedup; at the end the measured time of the
  /// compared work. baseline_total_s / run_total_s is the speedup.
  double run_total_s = 0;
  double baseline_total_s = 0;
  double ideal_total_s = 0;  ///< baseline_total_s / devices
  double time_cut = 0;       ///< 1 - run_s / baseline_s
  std::optional<double>
      steady_speedup;      ///< ratio of samples per second, newest 10,000 steps after the warm-up
  Step warm_up_steps = 0;  ///< left out of steady_speedup on the run
  std::optional<SharedValidation> accuracy;
};

/// `ended`: the run is over, so totals are measured and not projected.
Speedup speedup(const model::RunModel& run, const model::RunModel* baseline, bool ended);

/// The part of a run that a time covers.
enum class Clock : std::uint8_t {
  kTraining,   ///< ours: first step to the end, including evaluation and checkpoints
  kTrainPass,  ///< only the passes over the training data
  kWholeRun    ///< includes start-up and all evaluation
};

/// Seconds that a run took by that clock for its first `epochs` epochs; nothing if they were not
/// recorded. kWholeRun is known only if the run has ended after exactly that many epochs.
std::optional<double> seconds_by(Clock clock, const model::RunModel& model, Epoch epochs);

/// Baseline time / time for the epochs that both have completed; nothing if there are none.
/// speedup() decides whether both did the same work.
std::optional<double> speedup_by(Clock clock, const model::RunModel& run,
                                 const model::RunModel& baseline);

/// The speedup if no rank waited for the late one.
double without_straggler(const Speedup& speedup, const Straggler& late, double mean_step_ns);

}  // namespace ringside::analysis
