// The checkpoints of a run: resuming from one, when the next is due, and writing it. Training
// thread only; rank 0 writes, the calls are the same on every rank.
#pragma once

#include <optional>
#include <string>

#include "trainer/engine/checkpoint/checkpoints.h"
#include "trainer/engine/loop/loop_reports.h"
#include "trainer/engine/loop/rank_parts.h"
#include "trainer/engine/loop/train_progress.h"

namespace ringside::engine {

class CheckpointSaver {
 public:
  /// All references outlive this object.
  CheckpointSaver(RankParts& parts, TrainProgress& progress, LoopReports& reports);

  /// Restores weights, optimizer and progress from the checkpoint that checkpoint.resume asks for,
  /// or starts the progress from the beginning. Bad request when it does not fit this run.
  Result<void> resume();
  /// To be called after the first record of this rank, which is its hello.
  void report_resume();

  bool enabled() const { return folder_.enabled(); }
  bool epoch_due(Epoch epoch, bool last) const;
  /// Whether checkpoint.every_steps asks for a checkpoint. `epoch_ended`: the step was the last of
  /// its epoch.
  bool step_due(bool epoch_ended) const;
  /// Each of these names the file, and returns on every rank when rank 0 has written it; the caller
  /// has broadcast the buffers, but for save_step(). Throws when another rank is gone. Where
  /// train.stop_on ends runs, nothing is written of a model with NaN or Inf in it.
  void save_step();
  void save_epoch(Epoch epoch);
  /// Saves as save_epoch() does, and then every rank reads the file back. Collective; an error
  /// where it was not written or cannot be read.
  Result<void> save_and_reload(Epoch epoch);
  /// An error when rank 0 could not write it; the others do not know.
  Result<void> save_stop();
  void save_best();

 private:
  Result<std::optional<RestoredCheckpoint>> restore();
  std::string epoch_name(Epoch epoch) const;
  Result<void> write(const std::string& name);
  void save(const std::string& name);
  TrainingState state();

  RankParts& parts_;
  TrainProgress& progress_;
  LoopReports& reports_;
  CheckpointFolder folder_;
  std::string resume_text_;     ///< what was resumed; empty: nothing
  std::string resume_changes_;  ///< and what is different now
  std::string passed_over_;     ///< damaged files that are newer
};

}  // namespace ringside::engine
