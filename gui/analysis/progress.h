// Progress, pace and expected end of a run. Pure functions of the model; `now_ns` is on the
// monotonic clock of the run's host, and is taken from the records in a replay.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/analysis/range.h"
#include "gui/analysis/stops.h"
#include "gui/model/metric.h"

namespace ringside::analysis {

struct Progress {
  Epoch epoch = 0;          ///< current epoch, from 0; -1: unknown
  std::int64_t epochs = 0;  ///< 0: unknown
  Step step_in_epoch = 0;   ///< completed steps of this epoch
  std::int64_t steps_per_epoch = 0;
  Step steps_done = 0;  ///< by all ranks
  std::int64_t steps_planned = 0;
  double share = 0;                 ///< 0 .. 1; 0 if unknown
  std::optional<double> elapsed_s;  ///< since began_ns(), including start-up, without stops()
  std::optional<double>
      eta_s;  ///< from the pace since training began; unknown before the first step and at the end
};
Progress progress(const model::RunModel& model, std::int64_t now_ns);

/// Start of the run, mono_ns: its first record, or the end of its wait in a queue; 0: it has not
/// begun.
std::int64_t began_ns(const model::RunModel& model);
/// Seconds from began_ns() to the newest record, without stops(); nothing before the start.
std::optional<double> wall_seconds(const model::RunModel& model);

/// How the wall time of a run was spent, in seconds. `training_s` runs from the beginning of the
/// first step to the end of the last complete epoch (or the newest step) and includes evaluation
/// and checkpoints; the time between two attempts and discarded steps are left out, here and in the
/// functions below.
struct RunTimes {
  std::optional<double> total_s;     ///< first to newest record
  std::optional<double> start_up_s;  ///< first record to first step
  std::optional<double> training_s;  ///< first step to the newest end of step or epoch
  double train_pass_s = 0;  ///< only the passes over the training data, slowest rank of each epoch
  double evaluate_s = 0;    ///< validation and test, slowest rank of each pass
  double checkpoint_s = 0;
};
RunTimes run_times(const model::RunModel& model);

/// Number of epochs that every rank has completed, including evaluation if the run evaluates them.
Epoch complete_epochs(const model::RunModel& model);

/// How long a run took for part of its work.
struct TrainedTime {
  std::int64_t ns = 0;        ///< from the beginning of the first step, without left_out()
  std::int64_t until_ns = 0;  ///< end of that work, mono_ns
  double steps = 0;           ///< steps trained by then; a fraction if samples are counted
};
/// Time to the end of `epochs` epochs on the slowest rank, including evaluation and checkpoints;
/// nothing if they are not complete.
std::optional<TrainedTime> time_to_epoch(const model::RunModel& model, Epoch epochs);
/// Time until all ranks together had trained `samples`.
std::optional<TrainedTime> time_to_samples(const model::RunModel& model, std::int64_t samples);
/// Seconds of time_to_epoch(), and of time_to_samples().
std::optional<double> seconds_to_epoch(const model::RunModel& model, Epoch epochs);
std::optional<double> seconds_to_samples(const model::RunModel& model, std::int64_t samples);
/// Time lost between attempts until then: from the last kept action of one to the first step of the
/// next, including discarded steps.
std::vector<Stop> left_out(const model::RunModel& model, std::int64_t until_ns);

/// False if a lower rank trains the same samples: its sampler draws the same part of the data set,
/// or both share the work on a batch. Their samples count once.
bool counts_samples(const model::RunModel& model, Rank rank);

/// Number of ranks whose samples count: the data-parallel size.
Rank data_parallel_size(const model::RunModel& model);

/// Number of samples that all ranks trained in [begin, end).
double samples_between(const model::RunModel& model, Step begin, Step end);
std::int64_t samples_trained(const model::RunModel& model);

/// Samples per second over `range`: samples / (last end - first begin), with pauses between epochs
/// left out by adding step times instead of taking the difference.
struct Throughput {
  double total_per_s = 0;  ///< sum over ranks; 0: unknown
  std::vector<std::pair<Rank, double>> ranks;
  StepRange range;
};
Throughput throughput(const model::RunModel& model, StepRange range);

/// Percentiles of one rank's whole step times over a range, in ns; NaN if there are none.
struct StepTimeFigures {
  double p50_ns = 0;
  double p95_ns = 0;
  double mean_ns = 0;
  Step steps = 0;
};
StepTimeFigures step_times(const model::RunModel& model, Rank rank, StepRange range,
                           model::Metric metric = model::Metric::kStepTime);

}  // namespace ringside::analysis
