// The checkpoint folder of a run: which files are written, in which format, and how they are read
// back. Rank 0 writes; every rank reads. The files can be read by torch.load(weights_only=True),
// and only such files are read here: no code in them is executed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages/spec/batch_facts.h"
#include "protocol/messages/spec/run_spec.h"
#include "trainer/core/checkpoint_names.h"
#include "trainer/engine/checkpoint/progress.h"
#include "trainer/engine/loss_scaler.h"
#include "trainer/engine/optimizer.h"
#include "trainer/models/model.h"

namespace ringside::engine {

/// The state that a checkpoint saves and restores. The tensors are the network's own.
struct TrainingState {
  models::NamedTensors tensors;     ///< parameters and buffers, in state_dict order
  models::NamedTensors parameters;  ///< those that the optimizer updates, in its order
  Optimizer* optimizer = nullptr;
  LossScaler* scaler = nullptr;  ///< only with fp16
  double learning_rate = 0.0;    ///< of the next step
  Progress progress;
  std::int64_t world_size = 1;
  messages::BatchFacts facts;
};

/// Where a saved run continues, and its settings. Numbers that are missing in the file are 0.
struct ResumePoint {
  Progress progress;
  std::int64_t world_size = 0;
  std::int64_t global_batch = 0;
  std::int64_t steps_per_epoch = 0;
  double lr_scale = 0.0;
  std::int64_t sampler_seed = -1;  ///< -1: unknown
};

struct WrittenCheckpoint {
  std::filesystem::path path;
  std::int64_t size_bytes = 0;
  double seconds = 0.0;
};

/// Writes {"model", "optimizer" (state_dict() of torch.optim's SGD, Adam or AdamW), "scaler" (with
/// fp16; of torch.amp.GradScaler), "epoch", "step", "schedule", "sampler", "rng", "best", "spec",
/// "format"} to `path` atomically. `order`, if above 0, is stored as well: see
/// core::CheckpointFile.
Result<WrittenCheckpoint> write_checkpoint(const std::filesystem::path& path,
                                           const TrainingState& state,
                                           const messages::RunSpec& spec, std::int64_t order = 0);

/// Fills the tensors, the optimizer and the scaler of `state` and returns where the run continues;
/// the number of ranks and the batch may differ. A bad request when the file is of another model
/// (names and shapes that differ are listed) or optimizer, or of a newer version of Ringside.
Result<ResumePoint> read_checkpoint(const std::filesystem::path& path, const TrainingState& state);

/// Fails if a tensor contains NaN or Inf, and names it.
Result<void> check_finite(const models::NamedTensors& tensors);

/// The settings that differ now, as "2 ranks instead of 4, ..."; empty when none do.
std::string changes_since(const ResumePoint& saved, const TrainingState& now,
                          const messages::RunSpec& spec);

struct RestoredCheckpoint {
  std::filesystem::path path;
  ResumePoint point;
  std::string passed_over;  ///< why files that are or may be newer were skipped; empty: none
};

class CheckpointFolder {
 public:
  /// `folder` empty: nothing is saved.
  explicit CheckpointFolder(std::filesystem::path folder, std::int64_t keep)
      : folder_(std::move(folder)), keep_(keep) {}

  bool enabled() const { return !folder_.empty(); }
  const std::filesystem::path& path() const { return folder_; }
  Result<WrittenCheckpoint> save(const std::string& name, const TrainingState& state,
                                 const messages::RunSpec& spec);
  /// Reads the newest undamaged checkpoint; empty when there is none. An undamaged file that does
  /// not fit is an error, since an older one would not fit either.
  Result<std::optional<RestoredCheckpoint>> restore_newest(const TrainingState& state) const;
  /// Removes the remains of an interrupted write. Only the writer may call it, while it is not
  /// writing.
  void remove_drafts() const;

 private:
  std::int64_t next_order(const std::string& name);
  std::vector<core::CheckpointFile> list() const;

  std::filesystem::path folder_;
  std::int64_t keep_;
  bool made_ = false;             ///< an earlier save created the folder
  std::int64_t last_order_ = -1;  ///< of the newest file; below 0: the folder was not read yet
};

}  // namespace ringside::engine
