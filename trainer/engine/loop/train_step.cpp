#include "trainer/engine/loop/train_step.h"

#include <algorithm>

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include "trainer/engine/autocast.h"
#include "trainer/engine/numerics.h"

namespace ringside::engine {
namespace {

constexpr Step kEagerSteps = 11;  ///< before a step is recorded, since libraries initialize in the
                                  ///< first ones

void seed_generators(const std::vector<at::Device>& devices, std::uint64_t seed) {
  const auto set = [seed](at::Generator generator) {
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(seed);
  };
  set(at::detail::getDefaultCPUGenerator());
  for (const at::Device device : devices) {
    if (device.is_cuda()) set(at::globalContext().defaultGenerator(device));
  }
}

}  // namespace

std::uint64_t step_seed(std::int64_t seed, Step step, int world_size, int rank) {
  return static_cast<std::uint64_t>(seed + 1 + step * world_size + rank);
}

StepNumbers TrainStep::run(const DeviceBatch& batch, double learning_rate) {
  const Progress& now = progress_.now();
  seed_generators(parts_.devices, step_seed(parts_.spec.train.seed, now.step, parts_.env.world_size,
                                            parts_.env.rank));
  norm_due_ = is_norm_due(parts_, now.step, norm_rhythm_);
  // A recorded step has a fixed size, and the last batch of an epoch may be short.
  const bool replay = parts_.spec.train.cuda_graph && eager_steps_ >= kEagerSteps &&
                      batch.size() == parts_.facts.per_rank_batch;
  if (replay) return replay_step(batch, learning_rate);
  const auto [images, labels] = batch.ready();
  recorder_.mark(Mark::kOnDevice);
  learn(images, labels);
  update_weights(learning_rate);
  StepNumbers numbers = parts_.placement.on_cuda() ? fetch(numbers_on_device(measured()))
                                                   : numbers_on_host(measured());
  leave_step();
  ++eager_steps_;
  return numbers;
}

// Runs the step from the gradients to the new weights; a recorded step has its learning rate on the
// device.
template <class Rate>
void TrainStep::update_weights(const Rate& learning_rate) {
  dist::DistributedModel& replica = *parts_.replica;
  recorder_.mark(Mark::kOptimizerBegin);
  parts_.fault.delay("delay_optimizer");
  if (parts_.scaler) parts_.scaler->unscale(replica.flat_gradients());
  parts_.optimizer->step(replica.gradients(), learning_rate,
                         parts_.scaler ? parts_.scaler->found_inf() : at::Tensor());
  recorder_.mark(Mark::kOptimizerDone);
}

// Cleans up after the metrics of the step were measured.
void TrainStep::leave_step() {
  if (parts_.scaler) parts_.scaler->update();
  parts_.replica->zero_gradients();
  batch_parts_.clear();
}

// Records a step from the tensors of a batch to the metrics of the step, including images and
// all-reduces. The buckets are reduced as in an eager step: the group forks its stream where a
// bucket is ready, and the reducer joins it again.
void TrainStep::record_step(const DeviceBatch& batch) {
  RecordedStep& made = recorded_.emplace();
  for (const at::Tensor& tensor : batch.tensors) made.batch.tensors.push_back(tensor.clone());
  made.batch.prepare = batch.prepare;
  made.rate = at::zeros({}, at::TensorOptions(parts_.placement.device).dtype(at::kFloat));
  made.graph = parts_.placement.cuda->make_graph();
  made.graph->record([this, &made] {
    const auto [images, labels] = made.batch.ready();
    learn(images, labels);
    update_weights(made.rate);
    made.numbers = numbers_on_device(measured());
    leave_step();
  });
  made.moments = recorder_.take_recorded();
}

StepNumbers TrainStep::replay_step(const DeviceBatch& batch, double learning_rate) {
  if (!recorded_) record_step(batch);
  for (std::size_t i = 0; i < batch.tensors.size(); ++i)
    recorded_->batch.tensors[i].copy_(batch.tensors[i], /*non_blocking=*/true);
  recorded_->rate.fill_(learning_rate);
  recorder_.mark(Mark::kOnDevice);
  recorder_.before_replay(*recorded_->graph, recorded_->moments);
  recorded_->graph->replay();
  return fetch(recorded_->numbers);
}

at::Tensor TrainStep::forward(const at::Tensor& images) {
  const at::ScalarType type = autocast_type(parts_.spec);
  return parts_.data_parallel ? parts_.data_parallel->forward(images, type)
                              : parts_.network->forward(images);
}

// Computes the gradient of the mean loss over the whole batch in batch.accumulate parts, each
// weighted by its number of samples. Only the last part is all-reduced, so the reducer is prepared
// for that one only (like Python's no_sync()).
void TrainStep::learn(const at::Tensor& images, const at::Tensor& labels) {
  dist::DistributedModel& replica = *parts_.replica;
  const std::int64_t size = images.size(0);
  const std::int64_t part_size = std::min(parts_.facts.part_batch, size);
  replica.before_forward(progress_.now().epoch, progress_.now().step, norm_due_);
  for (std::int64_t begin = 0; begin < size; begin += part_size) {
    const std::int64_t count = std::min(part_size, size - begin);
    const bool whole = count == size;
    const bool last = begin + count == size;
    BatchPart part;
    part.share = static_cast<double>(count) / static_cast<double>(size);
    part.labels = whole ? labels : labels.narrow(0, begin, count);
    {
      const AutocastScope autocast(parts_.placement.device.type(), autocast_type(parts_.spec));
      part.output = forward(whole ? images : images.narrow(0, begin, count));
      part.loss = parts_.network->loss(part.output, part.labels);
    }
    at::Tensor target = whole ? part.loss : part.loss * part.share;
    if (parts_.scaler) target = parts_.scaler->scaled(target);
    if (last) parts_.fault.delay("delay_forward");
    last ? recorder_.mark(Mark::kForwardDone) : recorder_.mark_part();
    if (last) replica.before_backward();
    target.backward();
    if (parts_.data_parallel) parts_.data_parallel->collect_gradients();
    if (last) replica.after_backward();
    last ? recorder_.mark(Mark::kBackwardDone) : recorder_.mark_part();
    batch_parts_.push_back(std::move(part));
  }
}

MeasuredStep TrainStep::measured() {
  return {parts_,    batch_parts_, progress_.now().step,
          norm_due_, norm_rhythm_, recorder_.last_step_ns()};
}

}  // namespace ringside::engine
