#include "trainer/engine/train_loop.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "trainer/core/lr_schedule.h"
#include "trainer/core/shard_report.h"
#include "trainer/engine/autocast.h"
#include "trainer/engine/evaluate.h"

namespace ringside::engine {
namespace {

using messages::State;

constexpr std::int64_t kEvaluationBatch =
    64;  ///< at least: nothing is learned from it, so it need not be small
constexpr std::int64_t kGpuBatchesKept =
    StepRecorder::kMostAhead + 2;   ///< until the copy to a GPU is surely done
constexpr Step kGpuNormEvery = 20;  ///< steps: the norm is some ten small kernels

void seed_generators(const Place& place, std::uint64_t seed) {
  const auto set = [seed](at::Generator generator) {
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(seed);
  };
  set(at::detail::getDefaultCPUGenerator());
  if (place.on_cuda()) set(at::globalContext().defaultGenerator(place.device));
}

// Rows whose largest value stands at the label; plain loops, since four tensor operations cost more
// than the counting.
std::int64_t correct_on_host(const at::Tensor& output, const at::Tensor& labels) {
  const at::Tensor scores = output.detach().to(at::kFloat).contiguous();
  const auto* row = scores.const_data_ptr<float>();
  const auto* label = labels.const_data_ptr<std::int64_t>();
  const std::int64_t classes = scores.size(1);
  std::int64_t correct = 0;
  for (std::int64_t i = 0; i < scores.size(0); ++i, row += classes) {
    correct += std::max_element(row, row + classes) - row == label[i] ? 1 : 0;
  }
  return correct;
}

}  // namespace

std::uint64_t step_seed(std::int64_t seed, Step step, int world_size, int rank) {
  return static_cast<std::uint64_t>(seed + 1 + step * world_size + rank);
}

TrainLoop::TrainLoop(RankParts& parts, telemetry::Reporter& reporter,
                     std::function<int()> stop_wish)
    : parts_(parts),
      reporter_(reporter),
      stop_wish_(std::move(stop_wish)),
      recorder_(*parts.timeline, reporter, parts.replica->buckets()),
      agreement_(parts.groups),
      checkpoints_(parts.options.folder.empty() ? std::filesystem::path()
                                                : parts.options.folder / "checkpoints",
                   parts.spec.checkpoint.keep) {}

void TrainLoop::post_state(State state, const std::string& text) {
  messages::RankState record;
  record.state = state;
  record.attempt = parts_.env.attempt;
  record.last_step = progress_.step - 1;
  record.text = text;
  record.wall_ns = SystemClock{}.wall_ns();
  record.about = parts_.env.rank;
  reporter_.post(record);
}

Result<void> TrainLoop::prepare() {
  auto sampler = core::ShardSampler::create(
      core::shard_options(parts_.spec, parts_.data.train.count, parts_.env.rank));
  if (!sampler) return pass(sampler);
  sampler_.emplace(std::move(*sampler));
  data::LoaderOptions options;
  options.batch_size = parts_.facts.per_rank_batch;
  options.workers = parts_.spec.data.workers;
  options.buffers = batch_buffers(parts_.place);
  options.kept = parts_.place.on_cuda() ? kGpuBatchesKept : 1;
  auto train = data::Loader::create(parts_.data.train, options);
  if (!train) return pass(train);
  train_loader_.emplace(std::move(*train));
  if (parts_.spec.evaluate.mode != "none") {
    options.batch_size = std::max(kEvaluationBatch, parts_.facts.per_rank_batch);
    auto test = data::Loader::create(parts_.data.test, options);
    if (!test) return pass(test);
    test_loader_.emplace(std::move(*test));
    test_shard_ = core::exact_shard(parts_.data.test.count, parts_.env.rank, parts_.env.world_size);
  }
  if (parts_.options.dump_losses.empty()) return {};
  const std::string path = parts_.options.dump_losses + ".rank" + std::to_string(parts_.env.rank);
  if (!recorder_.dump_losses_to(path)) return failure("cannot write the losses to " + path);
  return {};
}

Result<Ending> TrainLoop::run() {
  if (auto prepared = prepare(); !prepared) return pass(prepared);
  if (auto resumed = resume(); !resumed) return pass(resumed);
  last_step_ = progress_.step - progress_.steps_into_epoch +
               (parts_.spec.train.epochs - progress_.epoch) * parts_.facts.steps_per_epoch;
  if (parts_.spec.train.max_steps > 0)
    last_step_ = std::min<Step>(last_step_, parts_.spec.train.max_steps);
  reporter_.post(hello_of(parts_, progress_.step));
  post_state(State::kStarting);
  while (steps_left()) {
    post_state(State::kTraining);
    auto wish = train_epoch();
    if (!wish) return pass(wish);
    if (*wish > 0 && steps_left()) return stop_here(*wish);
    const Epoch epoch = progress_.epoch - (progress_.steps_into_epoch == 0 ? 1 : 0);
    if (auto done = after_epoch(epoch, !steps_left()); !done) return pass(done);
    if (!steps_left()) break;
    if (const int late_wish = agreement_.ask_now(stop_wish_()); late_wish > 0)
      return stop_here(late_wish);
  }
  return finish();
}

Result<int> TrainLoop::train_epoch() {
  const Epoch epoch = progress_.epoch;
  const std::int64_t begin_ns = mono_now_ns();
  const auto shard = sampler_->draw(epoch);
  for (const auto& report : core::shard_reports(*sampler_, epoch, shard)) reporter_.post(report);
  const auto done =
      static_cast<std::size_t>(progress_.steps_into_epoch * parts_.facts.per_rank_batch);
  if (auto started = train_loader_->start(shard.subspan(done)); !started) return pass(started);
  parts_.network->set_training(true);
  const double rate = core::learning_rate(parts_.spec.optimizer, parts_.spec.schedule, epoch);
  int wish = 0;
  while (wish == 0 && steps_left() && progress_.steps_into_epoch < parts_.facts.steps_per_epoch) {
    if (!step(*train_loader_, rate))
      return failure("the data loader ended before its epoch; this is a defect");
    wish = agreement_.after_step(stop_wish_(), recorder_.last_step_ns());
  }
  const bool whole = progress_.steps_into_epoch == parts_.facts.steps_per_epoch;
  if (whole) {
    ++progress_.epoch;
    progress_.steps_into_epoch = 0;
  }
  const PassSums sums = recorder_.finish_pass();
  post_epoch(messages::Phase::kTrain, epoch, sums, whole ? sampler_->padded() : 0,
             seconds_since(begin_ns));
  return wish;
}

bool TrainLoop::step(data::Loader& loader, double learning_rate) {
  dist::DistributedModel& replica = *parts_.replica;
  recorder_.begin(progress_.epoch, progress_.step);
  const data::Batch* batch = loader.next();
  if (batch == nullptr) return false;
  recorder_.mark(Mark::kDataReady);
  const auto [images, labels] =
      to_device(*batch, parts_.data.train, parts_.place, /*run_ahead=*/true);
  recorder_.mark(Mark::kOnDevice);
  seed_generators(parts_.place, step_seed(parts_.spec.train.seed, progress_.step,
                                          parts_.env.world_size, parts_.env.rank));
  replica.before_forward(progress_.epoch, progress_.step);
  at::Tensor output;
  at::Tensor loss;
  {
    const AutocastScope autocast(parts_.place.device.type(), parts_.bf16());
    output = parts_.network->forward(images);
    loss = parts_.network->loss(output, labels);
  }
  recorder_.mark(Mark::kForwardDone);
  replica.before_backward();
  loss.backward();
  replica.after_backward();
  recorder_.mark(Mark::kBackwardDone);
  const StepNumbers numbers = numbers_of(output, labels, loss);
  recorder_.mark(Mark::kOptimizerBegin);
  parts_.optimizer->step(replica.gradients(), learning_rate);
  replica.zero_gradients();
  recorder_.mark(Mark::kOptimizerDone);
  recorder_.end(static_cast<std::int32_t>(batch->size), learning_rate, numbers);
  ++progress_.step;
  ++progress_.steps_into_epoch;
  return true;
}

StepNumbers TrainLoop::numbers_of(const at::Tensor& output, const at::Tensor& labels,
                                  const at::Tensor& loss) {
  StepNumbers numbers;
  if (!parts_.place.on_cuda()) {
    numbers.loss = loss.item<float>();
    numbers.correct = static_cast<float>(correct_on_host(output, labels));
    if (norm_rhythm_.due()) numbers.grad_norm = measure_norm();
    return numbers;
  }
  const at::NoGradGuard no_grad;
  const at::TensorOptions as_float = at::TensorOptions().dtype(at::kFloat);
  const at::Tensor norm =
      progress_.step % kGpuNormEvery == 0
          ? l2_norm(parts_.replica->flat_gradients())
          : at::full({}, messages::kUnknownF, as_float.device(parts_.place.device));
  numbers.slot = at::empty({3}, as_float.pinned_memory(true));
  numbers.slot.copy_(at::stack({loss.detach().to(at::kFloat),
                                count_correct(output, labels).to(at::kFloat), norm.to(at::kFloat)}),
                     /*non_blocking=*/true);
  return numbers;
}

float TrainLoop::measure_norm() {
  const std::int64_t begin_ns = mono_now_ns();
  const auto norm = l2_norm(parts_.replica->flat_gradients()).item<float>();
  norm_rhythm_.measured(mono_now_ns() - begin_ns, recorder_.last_step_ns());
  return norm;
}

}  // namespace ringside::engine
