// The training loop of one rank: steps, epochs, evaluation, checkpoints, and the agreement with the
// other ranks to stop. Training thread only; every rank runs the same sequence of collectives.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "protocol/messages/states.h"
#include "trainer/core/shard_sampler.h"
#include "trainer/cuda/cuda_api.h"
#include "trainer/dist/consensus.h"
#include "trainer/engine/checkpoint/checkpoints.h"
#include "trainer/engine/grad_norm.h"
#include "trainer/engine/loop/device_data.h"
#include "trainer/engine/loop/ending.h"
#include "trainer/engine/loop/evaluate.h"
#include "trainer/engine/loop/progress.h"
#include "trainer/engine/loop/step_recorder.h"
#include "trainer/engine/rank_parts.h"

namespace ringside::engine {

class TrainLoop {
 public:
  /// `stop_request` is asked after every step (0: go on, 1: save and stop, 2: stop). All references
  /// outlive the loop.
  TrainLoop(RankParts& parts, telemetry::Reporter& reporter, std::function<int()> stop_request);

  /// Throws what LibTorch throws, e.g. when another rank is gone.
  Result<Ending> run();

  const Progress& progress() const { return progress_; }

 private:
  Result<void> prepare();
  Result<void> resume();
  void report_resume();
  Result<int> train_epoch();
  Result<void> start_batches(std::span<const std::uint32_t> indices, Epoch epoch);
  Result<void> next_batch(at::Tensor& images, at::Tensor& labels);
  Result<void> step(double learning_rate);
  void learn(const at::Tensor& images, const at::Tensor& labels);
  at::Tensor forward(const at::Tensor& images);
  template <class Rate>
  void update_weights(const Rate& learning_rate);
  void leave_step();
  StepNumbers replay_step(const at::Tensor& images, const at::Tensor& labels, double learning_rate);
  StepNumbers numbers_on_host();
  at::Tensor numbers_on_device();
  StepNumbers fetch(const at::Tensor& numbers);
  float measure_norm();
  std::span<const std::uint32_t> begin_epoch();
  bool after_step();
  void save_every_steps(bool epoch_ended);
  bool epoch_save_due(Epoch epoch, bool last) const;
  Result<int> after_epoch(Epoch epoch, bool last);
  Result<int> evaluate_only();
  Result<int> evaluate_epoch(messages::Phase phase, Epoch epoch);
  Result<int> evaluate_shares(PassResult& result);
  Result<int> evaluate_on_first(PassResult& result);
  std::int64_t steps_of(std::int64_t shard_size) const;
  std::int64_t evaluation_batch() const;
  std::int64_t naming_ranks() const;
  double rate_now() const;
  TrainingState state_of();
  bool save(const std::string& name);
  void post_notice(messages::Severity severity, const std::string& code, const std::string& text);
  void count_steps();
  Result<Ending> stop_here(int stop);
  Result<Ending> finish();
  void post_state(messages::State state, const std::string& text = {});
  double post_epoch(messages::Phase phase, Epoch epoch, const PassResult& result, double seconds);
  bool steps_left() const { return progress_.step < last_step_; }

  /// What one part of a batch gave; kept until the numbers of the step are taken.
  struct BatchPart {
    at::Tensor output;
    at::Tensor labels;
    at::Tensor loss;
    double share = 1.0;  ///< of the samples of the batch
  };

  /// A step that a GPU has recorded, and the memory that it reads and writes.
  struct RecordedStep {
    std::unique_ptr<cuda::StepGraph> graph;
    at::Tensor images;
    at::Tensor labels;
    at::Tensor rate;
    at::Tensor numbers;
  };

  RankParts& parts_;
  telemetry::Reporter& reporter_;
  std::function<int()> stop_request_;
  StepRecorder recorder_;
  dist::StopConsensus consensus_;
  MeasuringRhythm norm_rhythm_;
  std::vector<BatchPart> batch_parts_;  ///< of the step that is under way
  std::optional<RecordedStep> recorded_;
  Step eager_steps_ = 0;  ///< done one operation at a time, before one is recorded
  CheckpointFolder checkpoints_;
  Progress progress_;
  std::string resume_words_;         ///< what was resumed; empty: nothing
  std::string resume_changes_;       ///< and what is different now
  Step last_step_ = 0;               ///< steps of the whole run
  std::int64_t epoch_steps_ = 0;     ///< steps of the epoch that is under way
  std::int64_t first_position_ = 0;  ///< in this rank's shard, where the epoch was begun or resumed
  std::int64_t shard_own_ = 0;       ///< samples of the shard before its repeats
  std::optional<core::ShardSampler> sampler_;
  std::optional<data::Loader> train_loader_;
  std::optional<DeviceData> device_data_;  ///< with data.on_device, instead of the loader
  std::optional<data::Loader> test_loader_;
  core::EvaluationShard test_shard_;
};

/// The seed of the random numbers of one step on one rank (dropout): a function of where the step
/// stands, so that a resumed run draws what an uninterrupted one does.
std::uint64_t step_seed(std::int64_t seed, Step step, int world_size, int rank);

/// Seconds since a reading of mono_now_ns().
double seconds_since(std::int64_t begin_ns);

}  // namespace ringside::engine
