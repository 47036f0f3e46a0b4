// How far a run is, and how it advances: where an epoch starts, where a step leads, when the run is
// over, which learning rate comes next. Training thread only; the same on every rank.
#pragma once

#include <optional>
#include <span>

#include "trainer/core/shard_sampler.h"
#include "trainer/engine/checkpoint/progress.h"
#include "trainer/engine/loop/rank_parts.h"

namespace ringside::engine {

class TrainProgress {
 public:
  /// `parts` outlives this object.
  explicit TrainProgress(const RankParts& parts) : parts_(parts) {}

  /// Makes the sampler. Before anything else but now().
  Result<void> prepare();
  /// Starts from the beginning, or from a checkpoint of a run with `saved_steps_per_epoch`.
  void start();
  void resume(const Progress& saved, std::int64_t saved_steps_per_epoch);

  const Progress& now() const { return now_; }
  bool steps_left() const { return now_.step < last_step_; }
  /// Learning rate of the step to come.
  double learning_rate() const;
  /// The samples of the steps to come, valid until the next call. Posts the shard of this rank.
  std::span<const std::uint32_t> begin_epoch(telemetry::Reporter& reporter);
  /// Counts a step; true when it was the last of its epoch.
  bool advance();
  /// The epoch that the newest step belongs to.
  Epoch newest_epoch() const { return now_.epoch - (now_.steps_into_epoch == 0 ? 1 : 0); }
  /// Repeats among the first `counted` samples of this rank since begin_epoch().
  std::int64_t padded(std::int64_t counted) const;
  /// Takes the accuracy of a validation; true when it is the best so far.
  bool improve(double accuracy);

 private:
  std::int64_t steps_of(std::int64_t shard_size) const;

  const RankParts& parts_;
  Progress now_;
  Step last_step_ = 0;            ///< steps of the whole run
  std::int64_t epoch_steps_ = 0;  ///< steps of the epoch that is under way
  std::int64_t first_position_ =
      0;                        ///< in this rank's shard, where the epoch was started or resumed
  std::int64_t shard_own_ = 0;  ///< samples of the shard before its repeats
  std::optional<core::ShardSampler> sampler_;
};

}  // namespace ringside::engine
