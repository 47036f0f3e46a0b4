// One pass over held-out data without learning: every sample counted exactly once, shared out over
// the ranks.
#pragma once

#include "trainer/data/dataset.h"
#include "trainer/data/loader.h"
#include "trainer/engine/place.h"
#include "trainer/engine/step_recorder.h"
#include "trainer/models/model.h"

namespace ringside::engine {

/// Largest number of correct answers and the like stay exact: sums are doubles and integers.
/// `loader` reads `indices` of its data set. No collective: ranks may have different numbers of
/// batches, or none. Training mode is left off.
Result<PassSums> evaluate(models::AnyModel& model, data::Loader& loader,
                          std::span<const std::uint32_t> indices, const data::Dataset& dataset,
                          const Place& place, bool bf16);

/// How many rows of `output` (n x classes, on any device) have their maximum at the row's label; a
/// scalar on that device.
at::Tensor count_correct(const at::Tensor& output, const at::Tensor& labels);

}  // namespace ringside::engine
