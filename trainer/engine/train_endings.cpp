// How a training loop begins again and how it ends: resume, save, stop, finish.
#include <cstdio>

#include <torch/torch.h>

#include "protocol/base/clock.h"
#include "trainer/core/checkpoint_names.h"
#include "trainer/core/lr_schedule.h"
#include "trainer/engine/train_loop.h"
#include "trainer/engine/weights.h"

namespace ringside::engine {

using messages::State;

TrainingState TrainLoop::state_of() {
  TrainingState state;
  state.tensors = parts_.network->state();
  state.parameters = parts_.network->named_parameters();
  state.optimizer = parts_.optimizer.get();
  state.learning_rate =
      core::learning_rate(parts_.spec.optimizer, parts_.spec.schedule, progress_.epoch);
  state.progress = progress_;
  state.world_size = parts_.env.world_size;
  state.per_rank_batch = parts_.facts.per_rank_batch;
  return state;
}

Result<void> TrainLoop::resume() {
  const std::string& wanted = parts_.spec.checkpoint.resume;
  std::optional<std::filesystem::path> path;
  // A restarted attempt goes on where the last one was, whatever the first was told.
  if (wanted == "auto" || parts_.env.attempt > 0) path = checkpoints_.newest();
  if (!path && wanted != "none" && wanted != "auto" && !wanted.empty()) path = wanted;
  if (!path) return {};
  auto progress = read_checkpoint(*path, state_of());
  if (!progress) return pass(progress);
  progress_ = *progress;
  if (parts_.is_first_rank()) {
    std::printf("resumed from %s: %d epochs and %lld steps done\n", path->string().c_str(),
                progress_.epoch, static_cast<long long>(progress_.step));
    std::fflush(stdout);
  }
  return {};
}

Result<void> TrainLoop::save(const std::string& name) {
  post_state(State::kSaving);
  if (!parts_.is_first_rank()) return {};
  auto written = checkpoints_.save(name, state_of(), parts_.spec);
  if (!written) return pass(written);
  messages::Checkpoint record;
  record.epoch = progress_.epoch - (progress_.steps_into_epoch == 0 && progress_.epoch > 0 ? 1 : 0);
  record.step = progress_.step;
  record.path = written->path.string();
  record.size_bytes = written->size_bytes;
  record.seconds = written->seconds;
  reporter_.post(record);
  return {};
}

Result<Ending> TrainLoop::stop_here(int wish) {
  post_state(State::kStopping);
  if (wish == 1 && checkpoints_.enabled() && progress_.step > 0) {
    parts_.replica->broadcast_buffers();
    if (auto saved = save(core::stop_checkpoint_name(progress_.step)); !saved) return pass(saved);
  }
  const std::string text = "stopped on request after " + std::to_string(progress_.step) + " steps";
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
