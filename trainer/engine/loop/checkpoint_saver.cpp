#include "trainer/engine/loop/checkpoint_saver.h"

#include "trainer/core/checkpoint_names.h"
#include "trainer/core/loss_watch.h"
#include "trainer/dist/consensus.h"
#include "trainer/engine/loop/waiting_rounds.h"

namespace ringside::engine {

CheckpointSaver::CheckpointSaver(RankParts& parts, TrainProgress& progress, LoopReports& reports)
    : parts_(parts),
      progress_(progress),
      reports_(reports),
      folder_(parts.options.folder.empty() ? std::filesystem::path()
                                           : parts.options.folder / "checkpoints",
              parts.spec.checkpoint.keep) {}

TrainingState CheckpointSaver::state() {
  TrainingState state;
  state.tensors = parts_.network->state();
  state.parameters = parts_.network->named_parameters();
  state.optimizer = parts_.optimizer.get();
  state.scaler = parts_.scaler.get();
  state.learning_rate = progress_.learning_rate();
  state.progress = progress_.now();
  state.world_size = parts_.env.world_size;
  state.facts = parts_.facts;
  return state;
}

Result<std::optional<RestoredCheckpoint>> CheckpointSaver::restore() {
  const std::string& wanted = parts_.spec.checkpoint.resume;
  // A restarted attempt continues from the last checkpoint, whatever checkpoint.resume says.
  if (wanted == "auto" || parts_.env.attempt > 0) {
    auto newest = folder_.restore_newest(state());
    if (!newest || *newest) return newest;
  }
  if (wanted == "none" || wanted == "auto" || wanted.empty()) return std::nullopt;
  const auto point = RINGSIDE_TRY(read_checkpoint(wanted, state()));
  return RestoredCheckpoint{wanted, point, ""};
}

Result<void> CheckpointSaver::resume() {
  if (parts_.is_first_rank()) folder_.remove_drafts();
  const auto restored = RINGSIDE_TRY(restore());
  if (restored) {
    const auto& [path, point, passed_over] = *restored;
    progress_.resume(point.progress, point.steps_per_epoch);
    resume_text_ = "resumed from " + path.string() + ": " + std::to_string(progress_.now().epoch) +
                   " epochs and " + std::to_string(progress_.now().step) + " steps done";
    resume_changes_ = changes_since(point, state(), parts_.spec);
    passed_over_ = passed_over;
  } else {
    if (parts_.spec.train.epochs == 0 && parts_.spec.model.init_from.empty() &&
        parts_.options.weights_in.empty()) {
      return bad_request("train.epochs = 0 only evaluates, and there is no checkpoint in " +
                         folder_.path().string() + " to evaluate");
    }
    progress_.start();
  }
  // A rank that could not read the others' checkpoint would continue from a different step.
  if (!dist::same_on_all_ranks(parts_.groups, static_cast<std::uint64_t>(progress_.now().step),
                               "comparison of the steps to go on from")) {
    return failure("the ranks resumed from different checkpoints; do all see the same files?");
  }
  return {};
}

void CheckpointSaver::report_resume() {
  if (!parts_.is_first_rank() || resume_text_.empty()) return;
  if (!passed_over_.empty()) {
    reports_.notice(
        messages::Severity::kWarning, "checkpoint_damaged",
        "a checkpoint that may be newer is damaged and was passed over: " + passed_over_);
  }
  reports_.notice(messages::Severity::kInfo, "resumed", resume_text_);
  if (!resume_changes_.empty()) {
    reports_.notice(messages::Severity::kWarning, "resume_changed",
                    "since then: " + resume_changes_);
  }
}

bool CheckpointSaver::epoch_due(Epoch epoch, bool last) const {
  const std::int64_t every = parts_.spec.checkpoint.every_epochs;
  if (!enabled() || every <= 0) return false;
  const std::int64_t set = parts_.spec.checkpoint.first_epoch;
  const std::int64_t since_first = epoch + 1 - (set > 0 ? set : every);
  return last || (since_first >= 0 && since_first % every == 0);
}

bool CheckpointSaver::step_due(bool epoch_ended) const {
  const std::int64_t every = parts_.spec.checkpoint.every_steps;
  const Progress& now = progress_.now();
  const bool last = !progress_.steps_left();
  if (!enabled() || every == 0 || now.step % every != 0) return false;
  // If the checkpoint of the epoch or of the end follows at once, it is identical but for its name.
  return !((epoch_ended || last) && epoch_due(now.epoch - 1, last));
}

void CheckpointSaver::save_step() {
  parts_.replica->broadcast_buffers();
  save(core::step_checkpoint_name(progress_.now().step));
  reports_.state(messages::State::kTraining);
}

std::string CheckpointSaver::epoch_name(Epoch epoch) const {
  const bool whole = progress_.now().steps_into_epoch == 0;
  const bool ranks_in_name = parts_.spec.checkpoint.naming == "ranks_epoch";
  const std::int64_t ranks = ranks_in_name ? parts_.spec.devices.world_size : 0;
  return whole ? core::epoch_checkpoint_name(epoch, ranks)
               : core::stop_checkpoint_name(progress_.now().step);
}

void CheckpointSaver::save_epoch(Epoch epoch) { save(epoch_name(epoch)); }

Result<void> CheckpointSaver::save_and_reload(Epoch epoch) {
  const std::string name = epoch_name(epoch);
  const auto written = write(name);
  // The other ranks read after rank 0 has written.
  double failed[] = {written ? 0.0 : 1.0};
  dist::sum_over_ranks(parts_.groups, failed);
  if (!written) return written;
  if (failed[0] > 0)
    return failure("rank 0 could not write " + name + ", which is to be evaluated");
  const auto point = read_checkpoint(folder_.path() / name, state());
  if (!point) return pass(point);
  return {};
}

Result<void> CheckpointSaver::save_stop() {
  return write(core::stop_checkpoint_name(progress_.now().step));
}

void CheckpointSaver::save_best() {
  if (parts_.spec.checkpoint.best && enabled()) save(std::string(core::kBestCheckpointName));
}

// Failing to write a checkpoint does not end the run: training continues, and older checkpoints
// stay.
void CheckpointSaver::save(const std::string& name) {
  const auto written = write(name);
  if (written) return;
  reports_.notice(messages::Severity::kError, "checkpoint_failed",
                  "no checkpoint after step " + std::to_string(progress_.now().step) + ": " +
                      written.error().message + "; training continues, older checkpoints are kept");
}

Result<void> CheckpointSaver::write(const std::string& name) {
  reports_.state(messages::State::kSaving);
  // Saving may take longer than the timeout of a collective. Stop requests are handled afterwards.
  WaitingRounds rounds(parts_.groups, collective_timeout(parts_.spec), [] { return 0; });
  if (!parts_.is_first_rank()) {
    rounds.wait();
    return {};
  }
  Result<WrittenCheckpoint> written;
  rounds.beside([&] {
    const TrainingState now = state();
    Result<void> sound;
    if (core::LossWatch(parts_.spec.train.stop_on).on()) sound = check_finite(now.tensors);
    if (sound) {
      written = folder_.save(name, now, parts_.spec);
    } else {
      written = pass(sound);
    }
  });
  if (!written) return pass(written);
  const Progress& now = progress_.now();
  messages::Checkpoint record;
  record.epoch = now.epoch - (now.steps_into_epoch == 0 && now.epoch > 0 ? 1 : 0);
  record.step = now.step;
  record.path = written->path.string();
  record.size_bytes = written->size_bytes;
  record.seconds = written->seconds;
  reports_.reporter().post(record);
  return {};
}

}  // namespace ringside::engine
