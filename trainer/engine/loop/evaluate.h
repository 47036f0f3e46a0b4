// One pass over held-out data without training, and the result of a pass of either kind.
#pragma once

#include <functional>

#include "trainer/core/shard_sampler.h"
#include "trainer/engine/loop/batch_feed.h"
#include "trainer/engine/loop/step_recorder.h"
#include "trainer/models/model.h"

namespace ringside::engine {

/// This rank's part of a pass; sums over the ranks give the total.
struct PassResult {
  PassSums sums;                    ///< repeats included
  std::int64_t padded = 0;          ///< repeats, included in sums.counted
  std::int64_t padded_correct = 0;  ///< correct answers on repeats, included in sums.correct
  double idle_seconds = 0.0;        ///< time waiting for another rank to evaluate
};

/// Called after each batch of an evaluation; false skips the rest.
using GoOn = std::function<bool()>;

/// Evaluates the indices of `shard`, which `feed` reads from its data set. Sums are exact: doubles
/// and integers. They stay on `device` until the end of the pass, so that the host runs ahead of
/// the device as far as the feed allows. The model runs without collectives, so ranks may have
/// different numbers of batches, or none. Leaves the model in evaluation mode. `autocast` is
/// at::kFloat for none.
Result<PassResult> evaluate(models::AnyModel& model, BatchFeed& feed,
                            const core::EvaluationShard& shard, at::Device device,
                            at::ScalarType autocast, const GoOn& go_on = {});

/// Number of rows of `output` (n x classes, on any device) whose maximum is at the row's label; a
/// scalar on that device.
at::Tensor count_correct(const at::Tensor& output, const at::Tensor& labels);

}  // namespace ringside::engine
