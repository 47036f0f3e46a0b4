// The checkpoint folder of a run: what is written there, in which form, and what is read back. Rank
// 0 writes; every rank reads. Files are what torch.load(weights_only=True) accepts, and only such
// files are read: no code in them is run.
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

/// What a checkpoint is taken of and restored into. The tensors are the network's own.
struct TrainingState {
  models::NamedTensors tensors;     ///< parameters and buffers, Python's state_dict order
  models::NamedTensors parameters;  ///< those that the optimizer updates, in its order
  Optimizer* optimizer = nullptr;
  LossScaler* scaler = nullptr;  ///< only with fp16
  double learning_rate = 0.0;    ///< of the step to come
  Progress progress;
  std::int64_t world_size = 1;
  messages::BatchFacts facts;
};

/// Where a saved run continues, and how it was set up. Numbers that a file does not hold are 0.
struct ResumePoint {
  Progress progress;
  std::int64_t world_size = 0;
  std::int64_t global_batch = 0;
  std::int64_t steps_per_epoch = 0;
  double lr_scale = 0.0;
  std::int64_t sampler_seed = -1;  ///< -1: not known
};

struct WrittenCheckpoint {
  std::filesystem::path path;
  std::int64_t size_bytes = 0;
  double seconds = 0.0;
};

/// {"model", "optimizer" (state_dict() of torch.optim's SGD, Adam or AdamW), "scaler" (with fp16;
/// of torch.amp.GradScaler), "epoch", "step", "schedule", "sampler", "rng", "best", "spec",
/// "format"} to `path`, at once: a reader sees the old file or the whole new one. `order` above 0
/// stands beside them: see core::CheckpointFile.
Result<WrittenCheckpoint> write_checkpoint(const std::filesystem::path& path,
                                           const TrainingState& state,
                                           const messages::RunSpec& spec, std::int64_t order = 0);

/// Fills the tensors, the optimizer and the scaler of `state` and returns where the run continues,
/// with any number of ranks and any batch. A bad request when the file is of another model (names
/// and shapes that differ are listed) or optimizer, or of a newer version of Ringside.
Result<ResumePoint> read_checkpoint(const std::filesystem::path& path, const TrainingState& state);

/// An error that names a tensor with NaN or Inf in it.
Result<void> check_finite(const models::NamedTensors& tensors);

/// What is different now, as "2 ranks instead of 4, ..."; empty when nothing is.
std::string changes_since(const ResumePoint& saved, const TrainingState& now,
                          const messages::RunSpec& spec);

struct RestoredCheckpoint {
  std::filesystem::path path;
  ResumePoint point;
  std::string passed_over;  ///< why files that are or may be newer were not taken; empty: none
};

class CheckpointFolder {
 public:
  /// `folder` empty: nothing is kept.
  explicit CheckpointFolder(std::filesystem::path folder, std::int64_t keep)
      : folder_(std::move(folder)), keep_(keep) {}

  bool enabled() const { return !folder_.empty(); }
  const std::filesystem::path& path() const { return folder_; }
  Result<WrittenCheckpoint> save(const std::string& name, const TrainingState& state,
                                 const messages::RunSpec& spec);
  /// read_checkpoint() of the file written last that is not damaged; nothing where there is no
  /// file. A file that is whole and does not fit is an error: an older one would not fit either.
  Result<std::optional<RestoredCheckpoint>> restore_newest(const TrainingState& state) const;
  /// Removes what a killed write left behind. For the only writer, while it does not write.
  void remove_drafts() const;

 private:
  std::int64_t next_order(const std::string& name);
  std::vector<core::CheckpointFile> list() const;

  std::filesystem::path folder_;
  std::int64_t keep_;
  bool made_ = false;             ///< the folder, by an earlier save
  std::int64_t last_order_ = -1;  ///< of what was saved; below 0: the folder was not read yet
};

}  // namespace ringside::engine
