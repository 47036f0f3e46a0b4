// One optimizer step of one rank: forward and backward in parts, one all-reduce, the update, and
// its metrics. On a GPU it may be recorded once and replayed (train.cuda_graph). Training thread
// only.
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
  /// All references must outlive this object.
  TrainStep(RankParts& parts, const TrainProgress& progress, StepRecorder& recorder)
      : parts_(parts), progress_(progress), recorder_(recorder) {}

  /// Trains on the batch and marks the events of the step. When steps are replayed, all full
  /// batches must have tensors of the same shapes and the same function. Throws what LibTorch
  /// throws.
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

  /// A step recorded on a GPU, and the memory that it reads and writes.
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
  MeasuringSchedule norm_rhythm_;
  bool norm_due_ = false;               ///< in the current step
  std::vector<BatchPart> batch_parts_;  ///< of the current step
  std::optional<RecordedStep> recorded_;
  Step eager_steps_ = 0;  ///< steps run eagerly before one is recorded
};

/// Random seed of one step on one rank (for dropout). It depends only on the position of the step,
/// so that a resumed run draws the same numbers as an uninterrupted one.
std::uint64_t step_seed(std::int64_t seed, Step step, int world_size, int rank);

}  // namespace ringside::engine
