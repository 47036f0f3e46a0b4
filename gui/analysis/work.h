// The planned work of a run in numbers: batches, steps, samples, learning rates by epoch. Pure
// functions of the model and its settings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"
#include "protocol/messages/spec/batch_facts.h"

namespace ringside::analysis {

/// Number of training samples: from the ranks' shards, or the settings, or the known size of the
/// data set; 0: unknown.
std::int64_t train_samples(const model::RunModel& model);
/// Number of test samples, from the settings or the known size of the data set; 0: unknown.
std::int64_t test_samples(const messages::RunSpec& spec);

/// Batches, steps and padding; nothing for a custom program or if the size of the data set is
/// unknown.
std::optional<messages::BatchFacts> work_of(const model::RunModel& model);

/// Number of devices that it computes on: one per process, except with DataParallel, which has one
/// process for all.
Rank devices_of(const model::RunModel& model);

/// Learning rates of an epoch, as reported in its steps; NaN if none were. They differ if the
/// schedule works by step.
struct UsedLr {
  double first = 0;
  double last = 0;
};
UsedLr lr_used(const model::RunModel& model, Epoch epoch);

/// One rank's mean training loss in an epoch, before any reduction.
struct RankLoss {
  Rank rank = 0;
  double loss = 0;  ///< NaN if it counted nothing
};
/// All ranks that reported the epoch, ascending; the gap is highest minus lowest.
struct EpochLosses {
  Epoch epoch = 0;
  std::vector<RankLoss> ranks;
  double gap = 0;  ///< NaN for fewer than 2 ranks
};
std::vector<EpochLosses> losses_by_epoch(const model::RunModel& model);

}  // namespace ringside::analysis
