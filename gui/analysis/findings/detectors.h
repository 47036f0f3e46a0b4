// Detectors of mistakes and misreadings in the records of a run; each finding is one sentence with
// its numbers. A detector finds nothing if the records that it needs are missing or the figure is
// within its noise. Pure functions of models and their settings.
//
// | Detector        | Needs                                | Nothing below               |
// |-----------------|--------------------------------------|-----------------------------|
// | order_repeated  | ShardReport of two epochs, all ranks | -                           |
// | repeats_counted | EpochReport of a padded evaluation   | one repeat                  |
// | unread_samples  | ShardReport of one epoch, all ranks  | one sample                  |
// | batch_cut       | settings                             | one sample                  |
// | idle_ranks      | EpochReport.idle_seconds             | 1 % of the epochs, 50 ms    |
// | batch_grew      | settings and lr of both runs         | equal lr (to 1e-6)          |
// | slower_dp       | StepReport of both runs              | 3 standard errors, 2 %, and |
// |                 |                                      | 10 steps                    |
// | slower_amp      | the same                             | the same                    |
// | shard_claimed   | EpochReport, size of the test set    | one sample                  |
// | cold_timing     | StepReport of the run                | 5 % of its time             |
// | many_writers    | Checkpoint                           | two ranks, one path, one    |
// |                 |                                      | step                        |
// | unmeasured_time | StepReport                           | 20 % of the step, 20 steps  |
//
// Some mistakes are in no record and cannot be found: a host that waits for the device in each step
// of a custom program, timers that do not wait for the device (unmeasured_time sees what falls
// between them), a fixed port, and several ranks that download the same data set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/analysis/scaling/speedup.h"

namespace ringside::analysis {

struct Finding {
  messages::Severity severity = messages::Severity::kWarning;
  std::string code;  ///< name of the detector, for scripts
  std::string text;  ///< one sentence
};

std::optional<Finding> order_repeated(const model::RunModel& run);
std::optional<Finding> repeats_counted(const model::RunModel& run);
std::optional<Finding> unread_samples(const model::RunModel& run);
std::optional<Finding> batch_cut(const model::RunModel& run);
std::optional<Finding> idle_ranks(const model::RunModel& run);
std::optional<Finding> batch_grew(const model::RunModel& run, const model::RunModel& baseline);
/// A reason why the speedup is worth less than it looks.
std::optional<Finding> unfair_baseline(const model::RunModel& run, const model::RunModel& baseline);
std::optional<Finding> slower_dp(const model::RunModel& run, const model::RunModel& baseline);
std::optional<Finding> slower_amp(const model::RunModel& run, const model::RunModel& baseline);
std::optional<Finding> shard_claimed(const model::RunModel& run);
std::optional<Finding> cold_timing(const model::RunModel& run);
std::optional<Finding> many_writers(const model::RunModel& run);
std::optional<Finding> unmeasured_time(const model::RunModel& run);

/// All findings, in the order above; `baseline` may be null.
std::vector<Finding> findings(const model::RunModel& run, const model::RunModel* baseline);

}  // namespace ringside::analysis
