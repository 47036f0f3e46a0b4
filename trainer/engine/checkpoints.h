// The checkpoint folder of a run: what is written there, in which form, and what is read back. Rank
// 0 writes; every rank reads. Files are what torch.load(weights_only=True) accepts, and only such
// files are read: no code in them is run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "protocol/messages/run_spec.h"
#include "trainer/core/checkpoint_names.h"
#include "trainer/engine/optimizer.h"
#include "trainer/engine/progress.h"
#include "trainer/models/model.h"

namespace ringside::engine {

/// What a checkpoint is taken of and restored into. The tensors are the network's own.
struct TrainingState {
  models::NamedTensors tensors;     ///< parameters and buffers, Python's state_dict order
  models::NamedTensors parameters;  ///< those that the optimizer updates, in its order
  Sgd* optimizer = nullptr;
  double learning_rate = 0.0;
  Progress progress;
  std::int64_t world_size = 1;
  std::int64_t per_rank_batch = 0;
};

struct WrittenCheckpoint {
  std::filesystem::path path;
  std::int64_t size_bytes = 0;
  double seconds = 0.0;
};

/// {"model", "optimizer" (torch.optim.SGD's own layout), "epoch", "step", "sampler", "rng", "spec",
/// "format"} to `path`, at once: a reader sees the old file or the whole new one.
Result<WrittenCheckpoint> write_checkpoint(const std::filesystem::path& path,
                                           const TrainingState& state,
                                           const messages::RunSpec& spec);

/// Fills the tensors and the optimizer of `state` and returns where the run goes on. A bad request
/// when the file is of another model (names and shapes that differ are listed), or was taken in
/// mid-epoch with another number of ranks or another batch.
Result<Progress> read_checkpoint(const std::filesystem::path& path, const TrainingState& state);

class CheckpointFolder {
 public:
  /// `folder` empty: nothing is kept.
  explicit CheckpointFolder(std::filesystem::path folder, std::int64_t keep)
      : folder_(std::move(folder)), keep_(keep) {}

  bool enabled() const { return !folder_.empty(); }
  Result<WrittenCheckpoint> save(const std::string& name, const TrainingState& state,
                                 const messages::RunSpec& spec);
  /// The file written last, if any.
  std::optional<std::filesystem::path> newest() const;

 private:
  std::vector<core::CheckpointFile> list() const;

  std::filesystem::path folder_;
  std::int64_t keep_;
};

}  // namespace ringside::engine
