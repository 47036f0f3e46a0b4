// What one run set out to do, in numbers: batches, steps, samples, learning rates by epoch. Pure
// functions of the model and its settings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"
#include "protocol/messages/spec/batch_facts.h"

namespace ringside::analysis {

/// Training samples: as the ranks told with their shards, else of the settings, else of a set whose
/// size everybody knows; 0: not known.
std::int64_t train_samples(const model::RunModel& model);
/// Test samples, of the settings or of a set whose size everybody knows; 0: not known.
std::int64_t test_samples(const messages::RunSpec& spec);

/// Batches, steps and padding; nothing for a foreign program or where the size of the set is not
/// known.
std::optional<messages::BatchFacts> work_of(const model::RunModel& model);

/// Devices that it computes on: one per process, but for DataParallel's one process for all.
Rank devices_of(const model::RunModel& model);

/// Learning rates that an epoch used, as its steps reported them; NaN where none did. They differ
/// where the schedule works by step.
struct UsedLr {
  double first = 0;
  double last = 0;
};
UsedLr lr_used(const model::RunModel& model, Epoch epoch);

/// One rank's pass over its training samples: the mean loss before any reduction.
struct RankLoss {
  Rank rank = 0;
  double loss = 0;  ///< NaN where it counted nothing
};
/// All ranks that reported the epoch, ascending; the gap is highest minus lowest.
struct EpochLosses {
  Epoch epoch = 0;
  std::vector<RankLoss> ranks;
  double gap = 0;  ///< NaN with fewer than 2 ranks
};
std::vector<EpochLosses> losses_by_epoch(const model::RunModel& model);

}  // namespace ringside::analysis
