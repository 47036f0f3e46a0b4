// Runs single steps of the trainer on batches that the caller chooses. Training thread only.
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
  /// `parts` must outlive this object.
  explicit StepBench(engine::RankParts& parts);
  Result<void> begin();

  /// The next batch of the training set on the device, valid until the next call; begins a new
  /// epoch after the last.
  Result<engine::DeviceBatch> next_batch();
  void step(const engine::DeviceBatch& batch);
  /// Waits until the device has finished all steps; returns the newest report.
  const messages::StepReport& finish();

 private:
  engine::RankParts& parts_;
  telemetry::Reporter unheard_;
  dist::CollectiveWatch watch_;
  engine::StepRecorder recorder_;
  engine::TrainProgress progress_;
  engine::TrainStep step_;
  std::optional<engine::BatchSource> batches_;
  std::int64_t left_ = 0;  ///< batches left in this epoch
  Epoch epoch_ = 0;
};

}  // namespace ringside::check
