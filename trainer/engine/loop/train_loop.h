// The training loop of one rank: the order of steps, epochs, evaluations and checkpoints, and how a
// run ends. Training thread only; every rank runs the same sequence of collectives.
#pragma once

#include <functional>
#include <optional>

#include "protocol/messages/states.h"
#include "trainer/engine/ending.h"
#include "trainer/engine/loop/batch_source.h"
#include "trainer/engine/loop/checkpoint_saver.h"
#include "trainer/engine/loop/evaluator.h"
#include "trainer/engine/loop/loop_reports.h"
#include "trainer/engine/loop/replica_watch.h"
#include "trainer/engine/loop/step_recorder.h"
#include "trainer/engine/loop/stop_poll.h"
#include "trainer/engine/loop/train_progress.h"
#include "trainer/engine/loop/train_step.h"
#include "trainer/engine/step_profile.h"

namespace ringside::engine {

class TrainLoop {
 public:
  /// `stop_request` is polled after every step (0: continue, 1: save and stop, 2: stop). All
  /// references must outlive the loop.
  TrainLoop(RankParts& parts, telemetry::Reporter& reporter, std::function<int()> stop_request);

  /// Throws what LibTorch throws, for example when another rank is gone.
  Result<Ending> run();

  const Progress& progress() const { return progress_.now(); }

 private:
  Result<void> prepare();
  Result<int> train_epoch();
  Result<bool> step();
  int save_step();
  void crash_if_set() const;
  Result<int> after_epoch(Epoch epoch, bool last);
  Result<int> evaluate(messages::Phase phase, Epoch epoch);
  Result<Ending> stop_here(int stop);
  Result<Ending> finish();

  RankParts& parts_;
  core::LossWatch losses_;
  StopPoll stop_poll_;
  dist::CollectiveWatch watch_;
  StepRecorder recorder_;
  TrainProgress progress_;
  LoopReports reports_;
  TrainStep step_;
  ReplicaWatch replicas_;
  CheckpointSaver checkpoints_;
  StepProfile profile_;
  bool counts_flops_ = false;
  std::optional<BatchSource> batches_;
  std::optional<Evaluator> evaluator_;  ///< empty with evaluate.mode = "none"
};

}  // namespace ringside::engine
