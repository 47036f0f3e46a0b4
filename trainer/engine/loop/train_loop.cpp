#include "trainer/engine/loop/train_loop.h"

#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "trainer/engine/rank_records.h"

namespace ringside::engine {
namespace {

using messages::State;

constexpr std::int64_t kGpuBatchesKept =
    StepRecorder::kMostAhead + 2;  ///< until the copy to a GPU is surely done

}  // namespace

TrainLoop::TrainLoop(RankParts& parts, telemetry::Reporter& reporter,
                     std::function<int()> stop_request)
    : parts_(parts),
      reporter_(reporter),
      stop_request_(std::move(stop_request)),
      recorder_(*parts.timeline, reporter, parts.replica->buckets()),
      consensus_(parts.groups),
      checkpoints_(parts.options.folder.empty() ? std::filesystem::path()
                                                : parts.options.folder / "checkpoints",
                   parts.spec.checkpoint.keep) {}

void TrainLoop::post_state(State state, const std::string& text) {
  messages::RankState record = rank_state(state, parts_.env, text);
  record.last_step = progress_.step - 1;
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
  options.seed = static_cast<std::uint64_t>(parts_.spec.train.seed);
  options.buffers = batch_buffers(parts_.placement);
  options.kept = parts_.placement.on_cuda() ? kGpuBatchesKept : 1;
  if (parts_.spec.data.on_device) {
    auto train = DeviceData::create(parts_.data.train, parts_.placement.device, options.batch_size,
                                    options.seed);
    if (!train) return pass(train);
    device_data_.emplace(std::move(*train));
  } else {
    auto train = data::Loader::create(parts_.data.train, options);
    if (!train) return pass(train);
    train_loader_.emplace(std::move(*train));
  }
  if (parts_.spec.evaluate.mode != "none") {
    options.batch_size = evaluation_batch();
    auto test = data::Loader::create(parts_.data.test, options);
    if (!test) return pass(test);
    test_loader_.emplace(std::move(*test));
    test_shard_ = core::evaluation_shard(parts_.spec.evaluate.mode, parts_.data.test.count,
                                         parts_.env.rank, parts_.env.world_size);
  }
  if (parts_.options.dump_losses.empty()) return {};
  const std::string path = parts_.options.dump_losses + ".rank" + std::to_string(parts_.env.rank);
  if (!recorder_.dump_losses_to(path)) return failure("cannot write the losses to " + path);
  return {};
}

Result<Ending> TrainLoop::run() {
  if (auto prepared = prepare(); !prepared) return pass(prepared);
  if (auto resumed = resume(); !resumed) return pass(resumed);
  reporter_.post(hello_of(parts_, progress_.step));
  report_resume();
  if (parts_.is_first_rank()) {
    for (const auto& text : parts_.warnings)
      post_notice(messages::Severity::kWarning, "slow_choice", text);
  }
  post_state(State::kStarting);
  if (parts_.spec.train.epochs == 0) {
    const auto stop = evaluate_only();
    if (!stop) return pass(stop);
    return *stop > 0 ? stop_here(*stop) : finish();
  }
  while (steps_left()) {
    post_state(State::kTraining);
    auto stop = train_epoch();
    if (!stop) return pass(stop);
    if (*stop > 0 && steps_left()) return stop_here(*stop);
    const Epoch epoch = progress_.epoch - (progress_.steps_into_epoch == 0 ? 1 : 0);
    stop = after_epoch(epoch, !steps_left());
    if (!stop) return pass(stop);
    if (*stop > 0) return stop_here(*stop);
    if (!steps_left()) break;
    if (const int late_stop = consensus_.agree_now(stop_request_()); late_stop > 0)
      return stop_here(late_stop);
  }
  return finish();
}

Result<int> TrainLoop::train_epoch() {
  const Epoch epoch = progress_.epoch;
  const std::int64_t begin_ns = mono_now_ns();
  if (auto started = start_batches(begin_epoch(), epoch); !started) return pass(started);
  parts_.network->set_training(true);
  int stop = 0;
  bool ended = false;
  while (stop == 0 && !ended && steps_left()) {
    if (auto done = step(rate_now()); !done) return pass(done);
    ended = after_step();
    stop = consensus_.after_step(stop_request_(), recorder_.last_step_ns());
    save_every_steps(ended);
  }
  PassResult result;
  result.sums = recorder_.finish_pass();
  result.padded = std::max<std::int64_t>(first_position_ + result.sums.counted - shard_own_, 0);
  post_epoch(messages::Phase::kTrain, epoch, result, seconds_since(begin_ns));
  return stop;
}

}  // namespace ringside::engine
