// How a training loop starts and ends: resume, save, stop, finish.
#include <algorithm>
#include <cstdio>

#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "protocol/messages/event_records.h"
#include "trainer/core/checkpoint_names.h"
#include "trainer/core/lr_schedule.h"
#include "trainer/engine/checkpoint/weights.h"
#include "trainer/engine/loop/train_loop.h"

namespace ringside::engine {

using messages::State;

// Of the step to come.
double TrainLoop::rate_now() const {
  return core::learning_rate(
      parts_.spec.optimizer, parts_.spec.schedule,
      core::schedule_position(parts_.facts, progress_.epoch, progress_.schedule_step));
}

// For the log, and for the reader of rank 0's output.
void TrainLoop::post_notice(messages::Severity severity, const std::string& code,
                            const std::string& text) {
  messages::Notice notice;
  notice.severity = severity;
  notice.code = code;
  notice.text = text;
  reporter_.post(notice);
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

TrainingState TrainLoop::state_of() {
  TrainingState state;
  state.tensors = parts_.network->state();
  state.parameters = parts_.network->named_parameters();
  state.optimizer = parts_.optimizer.get();
  state.scaler = parts_.scaler.get();
  state.learning_rate = rate_now();
  state.progress = progress_;
  state.world_size = parts_.env.world_size;
  state.facts = parts_.facts;
  return state;
}

// How many steps there are to do, and where the schedule stands, from where the run is.
void TrainLoop::count_steps() {
  const std::int64_t per_epoch = parts_.facts.steps_per_epoch;
  if (progress_.steps_into_epoch > 0 &&
      steps_of(sampler_->rest_size(progress_.samples_into_epoch)) == 0) {
    ++progress_.epoch;  // what is left is less than a step of the ranks of now
    progress_.steps_into_epoch = 0;
    progress_.samples_into_epoch = 0;
  }
  std::int64_t steps = (parts_.spec.train.epochs - progress_.epoch) * per_epoch;
  if (progress_.steps_into_epoch > 0)
    steps += steps_of(sampler_->rest_size(progress_.samples_into_epoch)) - per_epoch;
  last_step_ = progress_.step + std::max<std::int64_t>(steps, 0);
  if (parts_.spec.train.max_steps > 0)
    last_step_ = std::min<Step>(last_step_, parts_.spec.train.max_steps);
}

Result<void> TrainLoop::resume() {
  const std::string& wanted = parts_.spec.checkpoint.resume;
  std::optional<std::filesystem::path> path;
  // A restarted attempt continues where the last one was, whatever checkpoint.resume says.
  if (wanted == "auto" || parts_.env.attempt > 0) path = checkpoints_.newest();
  if (!path && wanted != "none" && wanted != "auto" && !wanted.empty()) path = wanted;
  if (!path) {
    if (parts_.spec.train.epochs == 0 && parts_.spec.model.init_from.empty() &&
        parts_.options.weights_in.empty()) {
      return bad_request("train.epochs = 0 only evaluates, and there is no checkpoint in " +
                         checkpoints_.path().string() + " to evaluate");
    }
    count_steps();
    return {};
  }
  const auto saved = read_checkpoint(*path, state_of());
  if (!saved) return pass(saved);
  progress_ = saved->progress;
  if (saved->steps_per_epoch != parts_.facts.steps_per_epoch) {
    // The schedule goes by the share of the run that is done.
    progress_.schedule_step = progress_.epoch * parts_.facts.steps_per_epoch +
                              progress_.samples_into_epoch / parts_.facts.global_batch;
  }
  count_steps();
  resume_words_ = "resumed from " + path->string() + ": " + std::to_string(progress_.epoch) +
                  " epochs and " + std::to_string(progress_.step) + " steps done";
  resume_changes_ = changes_since(*saved, state_of(), parts_.spec);
  return {};
}

// After the first record of this rank, which is to be its hello.
void TrainLoop::report_resume() {
  if (!parts_.is_first_rank() || resume_words_.empty()) return;
  post_notice(messages::Severity::kInfo, "resumed", resume_words_);
  if (!resume_changes_.empty())
    post_notice(messages::Severity::kWarning, "resume_changed", "since then: " + resume_changes_);
}

// A checkpoint that cannot be written does not end the run: training continues, and the older ones
// stay.
bool TrainLoop::save(const std::string& name) {
  post_state(State::kSaving);
  if (!parts_.is_first_rank()) return true;
  auto written = checkpoints_.save(name, state_of(), parts_.spec);
  if (!written) {
    post_notice(messages::Severity::kError, "checkpoint_failed",
                "no checkpoint after step " + std::to_string(progress_.step) + ": " +
                    written.error().message + "; training continues, older checkpoints are kept");
    return false;
  }
  messages::Checkpoint record;
  record.epoch = progress_.epoch - (progress_.steps_into_epoch == 0 && progress_.epoch > 0 ? 1 : 0);
  record.step = progress_.step;
  record.path = written->path.string();
  record.size_bytes = written->size_bytes;
  record.seconds = written->seconds;
  reporter_.post(record);
  return true;
}

Result<Ending> TrainLoop::stop_here(int stop) {
  post_state(State::kStopping);
  std::string text = "stopped on request after " + std::to_string(progress_.step) + " steps";
  const bool trained = progress_.step > 0 && parts_.spec.train.epochs > 0;
  if (stop == 1 && checkpoints_.enabled() && trained) {
    parts_.replica->broadcast_buffers();
    if (!save(core::stop_checkpoint_name(progress_.step)))
      text += "; no checkpoint could be written";
  }
  post_state(State::kStopped, text);
  if (parts_.is_first_rank()) {
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
  }
  return Ending::kStopped;
}

Result<Ending> TrainLoop::finish() {
  const std::uint64_t hash = dist::hash_of(parts_.replica->parameters());
  if (!dist::same_on_all_ranks(parts_.groups, hash)) {
    return failure(
        "the ranks' parameters differ at the end of training, so this run's weights cannot be "
        "trusted");
  }
  if (parts_.is_first_rank()) {
    std::printf("done: %lld steps, parameters equal on all ranks, hash %016llx\n",
                static_cast<long long>(progress_.step), static_cast<unsigned long long>(hash));
    std::fflush(stdout);
    if (!parts_.options.weights_out.empty()) {
      if (auto saved = save_weights(parts_.options.weights_out, parts_.network->state()); !saved)
        return pass(saved);
    }
  }
  post_state(State::kFinished);
  return Ending::kFinished;
}

}  // namespace ringside::engine
