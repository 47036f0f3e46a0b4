// One optimizer step of one rank: forward and backward in parts, one exchange, the update, and its
// numbers. On a GPU it may be recorded once and replayed (train.cuda_graph). Training
// thread only.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "trainer/cuda/cuda_api.h"
#include "trainer/engine/loop/device_batch.h"
#include "trainer/engine/loop/rank_parts.h"
#include "trainer/engine/loop/step_numbers.h"
#include "trainer/engine/loop/step_recorder.h"
#include "trainer/engine/loop/train_progress.h"

namespace ringside::engine {

class TrainStep {
 public:
  /// All references outlive this object.
  TrainStep(RankParts& parts, const TrainProgress& progress, StepRecorder& recorder)
      : parts_(parts), progress_(progress), recorder_(recorder) {}

  /// Learns from the batch and marks the moments of the step. Batches of full size are alike: when
  /// steps are replayed, they have tensors of the same shapes and the same function. Throws what
  /// LibTorch throws.
  StepNumbers run(const DeviceBatch& batch, double learning_rate);

 private:
  void learn(const at::Tensor& images, const at::Tensor& labels);
  at::Tensor forward(const at::Tensor& images);
  template <class Rate>
  void update_weights(const Rate& learning_rate);
  void leave_step();
  void record_step(const DeviceBatch& batch);
  StepNumbers replay_step(const DeviceBatch& batch, double learning_rate);
  MeasuredStep measured();

  /// A step that a GPU has recorded, and the memory that it reads and writes.
  struct RecordedStep {
    std::unique_ptr<cuda::StepGraph> graph;
    DeviceBatch batch;
    at::Tensor rate;
    at::Tensor numbers;
    StepRecorder::Recorded moments;
  };

  RankParts& parts_;
  const TrainProgress& progress_;
  StepRecorder& recorder_;
  MeasuringRhythm norm_rhythm_;
  bool norm_due_ = false;               ///< in the step that is under way
  std::vector<BatchPart> batch_parts_;  ///< of the step that is under way
  std::optional<RecordedStep> recorded_;
  Step eager_steps_ = 0;  ///< done one operation at a time, before one is recorded
};

/// The seed of the random numbers of one step on one rank (dropout): a function of where the step
/// stands, so that a resumed run draws what an uninterrupted one does.
std::uint64_t step_seed(std::int64_t seed, Step step, int world_size, int rank);

}  // namespace ringside::engine
