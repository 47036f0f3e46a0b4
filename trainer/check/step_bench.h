// Steps of the trainer one by one, with batches of the caller's choice. Training thread only.
#pragma once

#include "trainer/dist/collective_watch.h"
#include "trainer/engine/loop/batch_source.h"
#include "trainer/engine/loop/step_recorder.h"
#include "trainer/engine/loop/train_progress.h"
#include "trainer/engine/loop/train_step.h"
#include "trainer/telemetry/reporter.h"

namespace ringside::check {

class StepBench {
 public:
  /// `parts` outlives this object.
  explicit StepBench(engine::RankParts& parts);
  Result<void> begin();

  /// The next batch of the training set, on the device, valid until the next call; epochs follow
  /// each other.
  Result<engine::DeviceBatch> next_batch();
  /// One optimizer step with it.
  void step(const engine::DeviceBatch& batch);
  /// Waits until the device has done all steps; the newest one.
  const messages::StepReport& finish();

 private:
  engine::RankParts& parts_;
  telemetry::Reporter unheard_;
  dist::CollectiveWatch watch_;
  engine::StepRecorder recorder_;
  engine::TrainProgress progress_;
  engine::TrainStep step_;
  std::optional<engine::BatchSource> batches_;
  std::int64_t left_ = 0;  ///< batches of this epoch
  Epoch epoch_ = 0;
};

}  // namespace ringside::check
