// The checkpoints of a run: resuming from one, deciding when the next is due, and writing it.
// Training thread only; rank 0 writes, and all ranks make the same calls.
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
  /// All references must outlive this object.
  CheckpointSaver(RankParts& parts, TrainProgress& progress, LoopReports& reports);

  /// Restores weights, optimizer and progress from the checkpoint that checkpoint.resume selects,
  /// or starts from the beginning. Bad request when it does not fit this run.
  Result<void> resume();
  /// Call after the first record of this rank, its RankHello.
  void report_resume();

  bool enabled() const { return folder_.enabled(); }
  bool epoch_due(Epoch epoch, bool last) const;
  /// Whether checkpoint.every_steps requires a checkpoint. `epoch_ended`: the step was the last of
  /// its epoch.
  bool step_due(bool epoch_ended) const;
  /// Each of these functions saves a checkpoint under its own file name and returns on every rank
  /// after rank 0 has written it. The caller must have broadcast the buffers, except for
  /// save_step(). Throws when another rank is gone. With train.stop_on, a model with NaN or Inf is
  /// not saved.
  void save_step();
  void save_epoch(Epoch epoch);
  /// Saves like save_epoch(), then every rank reads the file back. Collective; an error when it was
  /// not written or cannot be read.
  Result<void> save_and_reload(Epoch epoch);
  /// Fails on rank 0 when it could not be written; the other ranks do not know.
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
  std::string resume_changes_;  ///< differences from the saved run
  std::string passed_over_;     ///< newer files that are damaged
};

}  // namespace ringside::engine
