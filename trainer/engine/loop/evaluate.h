// One pass over held-out data without learning, and what a pass of either kind adds up to.
#pragma once

#include <functional>

#include "trainer/core/shard_sampler.h"
#include "trainer/engine/loop/batch_feed.h"
#include "trainer/engine/loop/step_recorder.h"
#include "trainer/models/model.h"

namespace ringside::engine {

/// The part of this rank in a pass; sums over the ranks give the whole.
struct PassResult {
  PassSums sums;                    ///< repeats included
  std::int64_t padded = 0;          ///< of sums.counted, repeats
  std::int64_t padded_correct = 0;  ///< of sums.correct, answers to repeats
  double idle_seconds = 0.0;        ///< waiting for another rank to evaluate
};

/// Asked after each batch of an evaluation; false: leave the rest.
using GoOn = std::function<bool()>;

/// Largest number of correct answers and the like stay exact: sums are doubles and integers. They
/// stay on `device` until the pass is over, and the host is as far ahead of it as the feed lets it.
/// `feed` reads the indices of `shard` from its data set. The model is used as it is, without
/// collectives: ranks may have different numbers of batches, or none. Training mode is left off.
/// `autocast`: at::kFloat for none.
Result<PassResult> evaluate(models::AnyModel& model, BatchFeed& feed,
                            const core::EvaluationShard& shard, at::Device device,
                            at::ScalarType autocast, const GoOn& go_on = {});

/// How many rows of `output` (n x classes, on any device) have their maximum at the row's label; a
/// scalar on that device.
at::Tensor count_correct(const at::Tensor& output, const at::Tensor& labels);

}  // namespace ringside::engine
