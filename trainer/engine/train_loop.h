// The training loop of one rank: steps, epochs, evaluation, checkpoints, and the agreement with the
// other ranks to stop. Training thread only; every rank runs the same sequence of collectives.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "protocol/messages/records.h"
#include "trainer/core/shard_sampler.h"
#include "trainer/dist/agreement.h"
#include "trainer/engine/checkpoints.h"
#include "trainer/engine/grad_norm.h"
#include "trainer/engine/progress.h"
#include "trainer/engine/rank_parts.h"
#include "trainer/engine/step_recorder.h"

namespace ringside::engine {

enum class Ending { kFinished, kStopped };

class TrainLoop {
 public:
  /// `stop_wish` is asked after every step (0: go on, 1: save and stop, 2: stop). All references
  /// outlive the loop.
  TrainLoop(RankParts& parts, telemetry::Reporter& reporter, std::function<int()> stop_wish);

  /// Throws what LibTorch throws, e.g. when another rank is gone.
  Result<Ending> run();

  const Progress& progress() const { return progress_; }

 private:
  Result<void> prepare();
  Result<void> resume();
  Result<int> train_epoch();
  bool step(data::Loader& loader, double learning_rate);
  StepNumbers numbers_of(const at::Tensor& output, const at::Tensor& labels,
                         const at::Tensor& loss);
  float measure_norm();
  Result<void> evaluate_epoch(Epoch epoch);
  TrainingState state_of();
  Result<void> save(const std::string& name);
  Result<void> after_epoch(Epoch epoch, bool last);
  Result<Ending> stop_here(int wish);
  Result<Ending> finish();
  void post_state(messages::State state, const std::string& text = {});
  void post_epoch(messages::Phase phase, Epoch epoch, const PassSums& sums, std::int64_t padded,
                  double seconds);
  bool steps_left() const { return progress_.step < last_step_; }

  RankParts& parts_;
  telemetry::Reporter& reporter_;
  std::function<int()> stop_wish_;
  StepRecorder recorder_;
  dist::StopAgreement agreement_;
  MeasuringRhythm norm_rhythm_;
  CheckpointFolder checkpoints_;
  Progress progress_;
  Step last_step_ = 0;  ///< steps of the whole run
  std::optional<core::ShardSampler> sampler_;
  std::optional<data::Loader> train_loader_;
  std::optional<data::Loader> test_loader_;
  std::vector<std::uint32_t> test_shard_;
};

/// The seed of the random numbers of one step on one rank (dropout): a function of where the step
/// stands, so that a resumed run draws what an uninterrupted one does.
std::uint64_t step_seed(std::int64_t seed, Step step, int world_size, int rank);

/// Seconds since a reading of mono_now_ns().
double seconds_since(std::int64_t begin_ns);

}  // namespace ringside::engine
