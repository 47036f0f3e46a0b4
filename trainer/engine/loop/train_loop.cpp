#include "trainer/engine/loop/train_loop.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "protocol/base/clock.h"
#include "trainer/engine/checkpoint/weights.h"
#include "trainer/engine/stop_signals.h"

namespace ringside::engine {
namespace {

/// Stop requests above those of users are verdicts on the loss, which all ranks agree on, so that
/// they end after the same step whichever rank detected it.
constexpr int kAskedStops = 2;
/// The first step whose floating-point operations are counted, once, if requested. Counting makes
/// it slower; the steps before it are a warm-up.
constexpr Step kCountedStep = 5;

int request_of(core::LossVerdict verdict) {
  return verdict == core::LossVerdict::kFine ? 0 : kAskedStops + static_cast<int>(verdict);
}

}  // namespace

using messages::Phase;
using messages::State;

TrainLoop::TrainLoop(RankParts& parts, telemetry::Reporter& reporter,
                     std::function<int()> stop_request)
    : parts_(parts),
      losses_(parts.spec.train.stop_on),
      stop_poll_(parts.groups,
                 [this, asked = std::move(stop_request)] {
                   return std::max(asked(), request_of(losses_.verdict()));
                 }),
      watch_(parts.groups, collective_timeout(parts.spec)),
      recorder_(*parts.timeline, reporter, parts.replica->buckets(), watch_),
      progress_(parts),
      reports_(parts, progress_, reporter),
      step_(parts, progress_, recorder_),
      replicas_(parts, reports_),
      checkpoints_(parts, progress_, reports_),
      profile_(parts.options.folder, parts.env.attempt, parts.env.rank,
               [this](bool done, const std::string& text) {
                 const auto severity =
                     done ? messages::Severity::kInfo : messages::Severity::kWarning;
                 reports_.notice(severity, "profile", text);
               }) {
  if (losses_.on()) recorder_.watch(losses_);
  const char* const flops = std::getenv("RINGSIDE_FLOPS");
  counts_flops_ = flops != nullptr && std::string_view(flops) == "1";
}

Result<void> TrainLoop::prepare() {
  if (auto prepared = progress_.prepare(); !prepared) return prepared;
  auto batches = RINGSIDE_TRY(BatchSource::create(parts_, watch_));
  batches_.emplace(std::move(batches));
  if (parts_.spec.evaluate.mode != "none") {
    auto evaluator = RINGSIDE_TRY(Evaluator::create(parts_, reports_, stop_poll_, watch_));
    evaluator_.emplace(std::move(evaluator));
  }
  if (parts_.options.dump_losses.empty()) return {};
  const std::string path = parts_.options.dump_losses + ".rank" + std::to_string(parts_.env.rank);
  if (!recorder_.dump_losses_to(path)) return failure("cannot write the losses to " + path);
  return {};
}

Result<Ending> TrainLoop::run() {
  RINGSIDE_TRY(prepare());
  RINGSIDE_TRY(checkpoints_.resume());
  reports_.reporter().post(hello_of(parts_, progress_.now().step));
  checkpoints_.report_resume();
  if (parts_.is_first_rank()) {
    for (const auto& text : parts_.warnings)
      reports_.notice(messages::Severity::kWarning, "slow_choice", text);
  }
  reports_.state(State::kStarting);
  if (parts_.spec.train.epochs == 0) {
    parts_.replica->broadcast_buffers();
    const auto stop =
        RINGSIDE_TRY(evaluate(Phase::kTest, std::max<Epoch>(progress_.now().epoch - 1, 0)));
    return stop > 0 ? stop_here(stop) : finish();
  }
  while (progress_.steps_left()) {
    reports_.state(State::kTraining);
    auto stop = train_epoch();
    if (!stop) return pass(stop);
    if (losses_.on()) {  // the losses of the last steps are known only now
      stop = std::max(*stop, stop_poll_.now());
      if (*stop > kAskedStops) return stop_here(*stop);
    }
    if (*stop > 0 && progress_.steps_left()) return stop_here(*stop);
    stop = after_epoch(progress_.newest_epoch(), !progress_.steps_left());
    if (!stop) return pass(stop);
    if (*stop > 0) return stop_here(*stop);
    if (!progress_.steps_left()) break;
    if (const int late_stop = stop_poll_.now(); late_stop > 0) return stop_here(late_stop);
  }
  return finish();
}

Result<int> TrainLoop::train_epoch() {
  const Epoch epoch = progress_.now().epoch;
  const std::int64_t begin_ns = mono_now_ns();
  const auto indices = progress_.begin_epoch(reports_.reporter());
  RINGSIDE_TRY(batches_->start(indices, epoch));
  parts_.network->set_training(true);
  int stop = 0;
  bool ended = false;
  while (stop == 0 && !ended && progress_.steps_left()) {
    const auto done = RINGSIDE_TRY(step());
    ended = done;
    stop = stop_poll_.after_step(recorder_.last_step_ns());
    if (checkpoints_.step_due(ended)) stop = std::max(stop, save_step());
  }
  PassResult result;
  result.sums = recorder_.finish_pass();
  result.padded = progress_.padded(result.sums.counted);
  reports_.pass(Phase::kTrain, epoch, result, seconds_since(begin_ns));
  return stop;
}

// Returns true when it was the last step of its epoch.
Result<bool> TrainLoop::step() {
  const double learning_rate = progress_.learning_rate();
  recorder_.begin(progress_.now().epoch, progress_.now().step);
  parts_.fault.begin_step(progress_.now().step);
  parts_.fault.delay("delay_data");
  const auto batch = RINGSIDE_TRY(batches_->next(recorder_));
  std::optional<FlopCount> flops;
  if (counts_flops_ && progress_.now().step >= kCountedStep) flops.emplace();
  const StepNumbers numbers = step_.run(batch, learning_rate);
  if (flops) {
    reports_.flops(progress_.now().step, *flops);
    counts_flops_ = false;
  }
  flops.reset();
  recorder_.end(static_cast<std::int32_t>(batch.size()), learning_rate, numbers);
  reports_.memory(progress_.now().step, recorder_.last_step_ns());
  const bool ended = progress_.advance();
  if (profile_.before(progress_.now().step, parts_.placement.device.is_cuda()))
    recorder_.interrupt();
  replicas_.after_step(progress_.now().step);
  crash_if_set();
  return ended;
}

// When the loss can end the run, the ranks first agree whether it does, since a GPU may be steps
// behind.
int TrainLoop::save_step() {
  int stop = 0;
  if (losses_.on()) {
    recorder_.report_all();
    stop = stop_poll_.now();
  }
  if (stop <= kAskedStops) checkpoints_.save_step();
  recorder_.interrupt();
  return stop;
}

void TrainLoop::crash_if_set() const {
  const std::int64_t after = parts_.spec.limits.crash_step;
  const bool last_rank = parts_.env.rank + 1 == parts_.env.world_size;
  if (after == 0 || progress_.now().step != after || parts_.env.attempt > 0 || !last_rank) return;
  std::fprintf(stderr, "rank %d: killed itself after step %lld, as limits.crash_step asks\n",
               parts_.env.rank, static_cast<long long>(after));
  std::raise(SIGKILL);
}

Result<int> TrainLoop::after_epoch(Epoch epoch, bool last) {
  const bool evaluating = evaluator_ && evaluator_->due(epoch, last);
  const bool saving = checkpoints_.epoch_due(epoch, last);
  const bool reloading = saving && evaluating && last && parts_.spec.evaluate.reload;
  if (evaluating || saving) parts_.replica->broadcast_buffers();
  if (reloading) {
    RINGSIDE_TRY(checkpoints_.save_and_reload(epoch));
  }
  if (evaluating) {
    if (auto stop = evaluate(Phase::kValidate, epoch); !stop || *stop > 0) return stop;
  }
  if (saving && !reloading) checkpoints_.save_epoch(epoch);
  return 0;
}

// Returns the stop request that all ranks agreed on meanwhile; 0: none.
Result<int> TrainLoop::evaluate(Phase phase, Epoch epoch) {
  const auto outcome = RINGSIDE_TRY(evaluator_->run(phase, epoch));
  if (outcome.stop > 0) return outcome.stop;
  if (phase == Phase::kValidate && progress_.improve(outcome.accuracy)) checkpoints_.save_best();
  return 0;
}

Result<Ending> TrainLoop::stop_here(int stop) {
  if (stop > kAskedStops)
    return failure(core::failure_text(static_cast<core::LossVerdict>(stop - kAskedStops), losses_));
  reports_.state(State::kStopping);
  const Step steps = progress_.now().step;
  const std::string asked = stop_signal_words();
  const std::string text = "stopped on request after " + std::to_string(steps) + " steps" +
                           (asked.empty() ? "" : ", asked by " + asked);
  const bool trained = steps > 0 && parts_.spec.train.epochs > 0;
  if (stop == 1 && checkpoints_.enabled() && trained) {
    parts_.replica->broadcast_buffers();
    if (const auto saved = checkpoints_.save_stop(); !saved) {
      return failure(text + ", and nothing was saved: " + saved.error().message +
                     "; once that is mended the run can be resumed from its last checkpoint, or "
                     "else from the beginning");
    }
  }
  reports_.state(State::kStopped, text);
  if (parts_.is_first_rank()) print_line(text);
  return Ending::kStopped;
}

Result<Ending> TrainLoop::finish() {
  const std::uint64_t hash = dist::hash_of(parts_.replica->parameters());
  if (!dist::same_on_all_ranks(parts_.groups, hash, "comparison of parameters")) {
    return failure(
        "the ranks' parameters differ at the end of training, so this run's weights cannot be "
        "trusted");
  }
  if (parts_.is_first_rank()) {
    std::printf("done: %lld steps, parameters equal on all ranks, hash %016llx\n",
                static_cast<long long>(progress_.now().step),
                static_cast<unsigned long long>(hash));
    std::fflush(stdout);
    if (!parts_.options.weights_out.empty()) {
      RINGSIDE_TRY(save_weights(parts_.options.weights_out, parts_.network->state()));
    }
  }
  reports_.state(State::kFinished);
  return Ending::kFinished;
}

}  // namespace ringside::engine
