// How far a run is, how fast it goes and when it ends. Pure functions of the model; `now_ns` is on
// the monotonic clock of the run's host, taken from the records themselves when replaying.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/analysis/range.h"
#include "gui/analysis/stops.h"
#include "gui/model/metric.h"

namespace ringside::analysis {

struct Progress {
  Epoch epoch = 0;          ///< from 0: the one being trained; -1: not known
  std::int64_t epochs = 0;  ///< 0: not known
  Step step_in_epoch = 0;   ///< finished steps of this epoch
  std::int64_t steps_per_epoch = 0;
  Step steps_done = 0;  ///< by all ranks
  std::int64_t steps_planned = 0;
  double share = 0;                 ///< 0 .. 1; 0 when not known
  std::optional<double> elapsed_s;  ///< since began_ns(), start-up included, without stops()
  std::optional<double>
      eta_s;  ///< from the pace since training began; unknown before the first step and at the end
};
Progress progress(const model::RunModel& model, std::int64_t now_ns);

/// When the run began, mono_ns: its first record, or the end of its wait where it was queued; 0: it
/// has not begun.
std::int64_t began_ns(const model::RunModel& model);
/// From there to the newest record, without stops(); nothing before.
std::optional<double> wall_seconds(const model::RunModel& model);

/// Where the wall time of a run went, seconds. `training_s` runs from the beginning of the first
/// step to the end of the last complete epoch (or the newest step), evaluation and checkpoints
/// inside; the time between two attempts and steps that were thrown away are left out, here and in
/// the functions below.
struct RunTimes {
  std::optional<double> total_s;     ///< first to newest record
  std::optional<double> start_up_s;  ///< first record to first step
  std::optional<double> training_s;  ///< first step to the newest end of step or epoch
  double train_pass_s = 0;  ///< passes over the training data only, slowest rank of each epoch
  double evaluate_s = 0;    ///< validation and test, slowest rank of each pass
  double checkpoint_s = 0;
};
RunTimes run_times(const model::RunModel& model);

/// Epochs completed by every rank, evaluation included where the run evaluates that epoch.
Epoch complete_epochs(const model::RunModel& model);

/// How long a run took for some of its work.
struct TrainedTime {
  std::int64_t ns = 0;        ///< from the beginning of the first step, without left_out()
  std::int64_t until_ns = 0;  ///< when it was done, mono_ns
  double steps = 0;           ///< trained by then; with a fraction where samples are counted
};
/// Time to the end of `epochs` epochs on the slowest rank, evaluation and checkpoints inside;
/// nothing when they are not complete.
std::optional<TrainedTime> time_to_epoch(const model::RunModel& model, Epoch epochs);
/// Time until all ranks together had trained `samples`.
std::optional<TrainedTime> time_to_samples(const model::RunModel& model, std::int64_t samples);
/// Seconds of time_to_epoch() and of time_to_samples().
std::optional<double> seconds_to_epoch(const model::RunModel& model, Epoch epochs);
std::optional<double> seconds_to_samples(const model::RunModel& model, std::int64_t samples);
/// What went by between attempts until then: from the last thing of one that is kept to the first
/// step of the next, steps that were thrown away inside.
std::vector<Stop> left_out(const model::RunModel& model, std::int64_t until_ns);

/// False where a rank before it trains the same samples: by their samplers the same part of the
/// data set, or as one of those that share in the work on a batch. What they train counts once.
bool counts_samples(const model::RunModel& model, Rank rank);

/// Ranks, of those that are there, whose samples count: the data-parallel size.
Rank data_parallel_size(const model::RunModel& model);

/// Samples all ranks together trained by the newest common step.
double samples_between(const model::RunModel& model, Step begin, Step end);
std::int64_t samples_trained(const model::RunModel& model);

/// Samples per second over `range`: samples of those steps / (last end - first begin), evaluation
/// breaks between epochs left out by summing step times instead of taking the difference.
struct Throughput {
  double total_per_s = 0;  ///< sum over ranks; 0: not known
  std::vector<std::pair<Rank, double>> ranks;
  StepRange range;
};
Throughput throughput(const model::RunModel& model, StepRange range);

/// Percentiles of one rank's whole step times over a range, in ns; NaN when there are none.
struct StepTimeFigures {
  double p50_ns = 0;
  double p95_ns = 0;
  double mean_ns = 0;
  Step steps = 0;
};
StepTimeFigures step_times(const model::RunModel& model, Rank rank, StepRange range,
                           model::Metric metric = model::Metric::kStepTime);

}  // namespace ringside::analysis
