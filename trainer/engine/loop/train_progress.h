// How far a run has got and how it advances: where an epoch starts, when the run is over, which
// learning rate is next. Training thread only; the same on every rank.
#pragma once

#include <optional>
#include <span>

#include "trainer/core/shard_sampler.h"
#include "trainer/engine/checkpoint/progress.h"
#include "trainer/engine/loop/rank_parts.h"

namespace ringside::engine {

class TrainProgress {
 public:
  /// `parts` must outlive this object.
  explicit TrainProgress(const RankParts& parts) : parts_(parts) {}

  /// Creates the sampler. Must be called first, except for now().
  Result<void> prepare();
  /// Starts from the beginning, or from a checkpoint of a run with `saved_steps_per_epoch`.
  void start();
  void resume(const Progress& saved, std::int64_t saved_steps_per_epoch);

  const Progress& now() const { return now_; }
  bool steps_left() const { return now_.step < last_step_; }
  double learning_rate() const;
  /// The samples of the next steps, valid until the next call. Posts this rank's shard.
  std::span<const std::uint32_t> begin_epoch(telemetry::Reporter& reporter);
  /// Counts a step; true when it was the last of its epoch.
  bool advance();
  /// The epoch of the newest step.
  Epoch newest_epoch() const { return now_.epoch - (now_.steps_into_epoch == 0 ? 1 : 0); }
  /// Number of repeats among this rank's first `counted` samples since begin_epoch().
  std::int64_t padded(std::int64_t counted) const;
  /// Records the accuracy of a validation; true when it is the best so far.
  bool improve(double accuracy);

 private:
  std::int64_t steps_of(std::int64_t shard_size) const;

  const RankParts& parts_;
  Progress now_;
  Step last_step_ = 0;               ///< number of steps of the whole run
  std::int64_t epoch_steps_ = 0;     ///< number of steps of the current epoch
  std::int64_t first_position_ = 0;  ///< position in this rank's shard at which the epoch was
                                     ///< started or resumed
  std::int64_t shard_own_ = 0;       ///< samples of the shard without its repeats
  std::optional<core::ShardSampler> sampler_;
};

}  // namespace ringside::engine
