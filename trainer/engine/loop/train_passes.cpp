// What surrounds the steps: where an epoch begins and a step leads, evaluation, checkpoints when
// they are due, and the report of a whole pass.
#include <algorithm>
#include <cstdio>

#include "protocol/base/clock.h"
#include "trainer/core/checkpoint_names.h"
#include "trainer/core/shard_report.h"
#include "trainer/engine/loop/evaluate.h"
#include "trainer/engine/loop/train_loop.h"
#include "trainer/engine/loop/waiting_rounds.h"
#include "trainer/engine/numerics.h"

namespace ringside::engine {
namespace {

using messages::Phase;
using messages::State;

constexpr std::int64_t kEvaluationBatch =
    64;  ///< at least: nothing is learned from it, so it need not be small

double share_of(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

// Of all ranks together.
struct Totals {
  double loss = 0.0;
  double correct = 0.0;
  double counted = 0.0;
  double padded = 0.0;
  double padded_correct = 0.0;

  double accuracy() const { return share_of(correct, counted); }
  /// Every sample once.
  double exact_accuracy() const { return share_of(correct - padded_correct, counted - padded); }
};

Totals sum_up(const dist::ProcessGroups& groups, const PassResult& own) {
  double all[] = {own.sums.loss_sum, static_cast<double>(own.sums.correct),
                  static_cast<double>(own.sums.counted), static_cast<double>(own.padded),
                  static_cast<double>(own.padded_correct)};
  dist::sum_over_ranks(groups, all);
  return {all[0], all[1], all[2], all[3], all[4]};
}

void print_pass(const std::string& heading, Phase phase, const Totals& totals, double seconds) {
  std::printf("%s%-8s  loss %.4f  accuracy %6.2f %%  %.0f samples  %.2f s\n", heading.c_str(),
              std::string(messages::name_of(phase)).c_str(), share_of(totals.loss, totals.counted),
              100.0 * totals.accuracy(), totals.counted, seconds);
  if (phase != Phase::kTrain && totals.padded > 0) {
    std::printf(
        "  with %.0f repeats %.0f of %.0f correct; each sample once: %.0f of %.0f, %.4f %%\n",
        totals.padded, totals.correct, totals.counted, totals.correct - totals.padded_correct,
        totals.counted - totals.padded, 100.0 * totals.exact_accuracy());
  }
  std::fflush(stdout);
}

}  // namespace

double seconds_since(std::int64_t begin_ns) {
  return static_cast<double>(mono_now_ns() - begin_ns) * 1e-9;
}

std::int64_t TrainLoop::steps_of(std::int64_t shard_size) const {
  const std::int64_t batch = parts_.facts.per_rank_batch;
  return parts_.spec.batch.drop_last ? shard_size / batch : (shard_size + batch - 1) / batch;
}

std::int64_t TrainLoop::evaluation_batch() const {
  return std::max(kEvaluationBatch, parts_.facts.per_rank_batch);
}

std::int64_t TrainLoop::naming_ranks() const {
  return parts_.spec.checkpoint.naming == "ranks_epoch" ? parts_.spec.devices.world_size : 0;
}

// The samples of the steps to come. An epoch that was started by as many ranks with the same batch
// is reported whole, as its shard was drawn; one that was started otherwise is sharded anew from
// where it stands.
std::span<const std::uint32_t> TrainLoop::begin_epoch() {
  const std::int64_t batch = parts_.facts.per_rank_batch;
  const bool as_begun =
      progress_.samples_into_epoch == progress_.steps_into_epoch * batch * parts_.env.world_size;
  const auto shard =
      sampler_->draw_rest(progress_.epoch, as_begun ? 0 : progress_.samples_into_epoch);
  for (const auto& report : core::shard_reports(*sampler_, progress_.epoch, shard))
    reporter_.post(report);
  const auto size = static_cast<std::int64_t>(shard.indices.size());
  first_position_ = as_begun ? std::min(progress_.steps_into_epoch * batch, size) : 0;
  shard_own_ = size - shard.padded;
  const std::int64_t steps = steps_of(size - first_position_);
  epoch_steps_ = progress_.steps_into_epoch + steps;
  const std::int64_t read = std::min(steps * batch, size - first_position_);
  return shard.indices.subspan(static_cast<std::size_t>(first_position_),
                               static_cast<std::size_t>(read));
}

// Counts a step; true when it was the last of its epoch.
bool TrainLoop::after_step() {
  ++progress_.step;
  ++progress_.schedule_step;
  ++progress_.steps_into_epoch;
  progress_.samples_into_epoch += parts_.facts.per_rank_batch * std::int64_t{parts_.env.world_size};
  if (progress_.steps_into_epoch < epoch_steps_) return false;
  ++progress_.epoch;
  progress_.steps_into_epoch = 0;
  progress_.samples_into_epoch = 0;
  return true;
}

bool TrainLoop::epoch_save_due(Epoch epoch, bool last) const {
  const std::int64_t every = parts_.spec.checkpoint.every_epochs;
  return checkpoints_.enabled() && every > 0 && (last || (epoch + 1) % every == 0);
}

void TrainLoop::save_every_steps(bool epoch_ended) {
  const std::int64_t every = parts_.spec.checkpoint.every_steps;
  if (!checkpoints_.enabled() || every == 0 || progress_.step % every != 0) return;
  // The checkpoint of the epoch, or of the end, comes at once and is the same but for its name.
  if ((epoch_ended || !steps_left()) && epoch_save_due(progress_.epoch - 1, !steps_left())) return;
  parts_.replica->broadcast_buffers();
  save(core::step_checkpoint_name(progress_.step));
  post_state(State::kTraining);
}

Result<int> TrainLoop::after_epoch(Epoch epoch, bool last) {
  const bool evaluating =
      test_loader_ && (last || (epoch + 1) % parts_.spec.evaluate.every_epochs == 0);
  const bool saving = epoch_save_due(epoch, last);
  if (evaluating || saving) parts_.replica->broadcast_buffers();
  if (evaluating) {
    if (auto stop = evaluate_epoch(Phase::kValidate, epoch); !stop || *stop > 0) return stop;
  }
  if (!saving) return 0;
  const bool whole = progress_.steps_into_epoch == 0;
  save(whole ? core::epoch_checkpoint_name(epoch, naming_ranks())
             : core::stop_checkpoint_name(progress_.step));
  return 0;
}

Result<int> TrainLoop::evaluate_only() {
  parts_.replica->broadcast_buffers();
  return evaluate_epoch(Phase::kTest, std::max<Epoch>(progress_.epoch - 1, 0));
}

// The stop request that all ranks agreed on meanwhile (0: none); with one there is nothing to
// report.
Result<int> TrainLoop::evaluate_epoch(Phase phase, Epoch epoch) {
  const bool alone = parts_.spec.evaluate.mode == "rank0" && !parts_.groups.solo();
  const bool waits = alone && !parts_.is_first_rank();
  post_state(State::kEvaluating, waits ? "waits while rank 0 evaluates" : "");
  const std::int64_t begin_ns = mono_now_ns();
  PassResult result;
  const auto stop = alone ? evaluate_on_first(result) : evaluate_shares(result);
  if (!stop || *stop > 0) return stop;
  const double accuracy = post_epoch(phase, epoch, result, seconds_since(begin_ns));
  const bool better = phase == Phase::kValidate && accuracy > progress_.best_accuracy;
  if (better) progress_.best_accuracy = accuracy;
  if (better && parts_.spec.checkpoint.best && checkpoints_.enabled())
    save(std::string(core::kBestCheckpointName));
  return 0;
}

// Ranks ask each other after every batch, so all of them count as many as the longest share has.
Result<int> TrainLoop::evaluate_shares(PassResult& result) {
  const std::int64_t ranks = parts_.env.world_size;
  const std::int64_t share = (parts_.data.test.count + ranks - 1) / ranks;
  const std::int64_t batches = (share + evaluation_batch() - 1) / evaluation_batch();
  std::int64_t asked = 0;
  // The rhythm of the steps before is not that of the batches to come.
  int stop = consensus_.agree_now(stop_request_());
  if (stop > 0) return stop;
  std::int64_t batch_begin_ns = mono_now_ns();
  const auto ask = [&] {
    const std::int64_t now_ns = mono_now_ns();
    stop = consensus_.after_step(stop_request_(), now_ns - batch_begin_ns);
    batch_begin_ns = now_ns;
    ++asked;
    return stop == 0;
  };
  auto evaluated = evaluate(*parts_.network, *test_loader_, test_shard_, parts_.data.test,
                            parts_.placement, autocast_type(parts_.spec), ask);
  if (!evaluated) return pass(evaluated);
  result = *evaluated;
  for (; stop == 0 && asked < batches; ++asked)
    stop = consensus_.after_step(stop_request_(), dist::StopConsensus::kAgreeEvery_ns);
  return stop;
}

Result<int> TrainLoop::evaluate_on_first(PassResult& result) {
  const auto timeout_ns = static_cast<std::int64_t>(parts_.spec.limits.collective_timeout_s * 1e9);
  WaitingRounds rounds(parts_.groups, timeout_ns, stop_request_);
  if (!parts_.is_first_rank()) {
    const std::int64_t begin_ns = mono_now_ns();
    const int stop = rounds.wait();
    result.idle_seconds = seconds_since(begin_ns);
    return stop;
  }
  int stop = 0;
  auto evaluated = evaluate(*parts_.network, *test_loader_, test_shard_, parts_.data.test,
                            parts_.placement, autocast_type(parts_.spec), [&] {
                              stop = rounds.while_working();
                              return stop == 0;
                            });
  if (!evaluated) return pass(evaluated);
  result = *evaluated;
  return stop > 0 ? stop : rounds.done();
}

// Returns the accuracy over all ranks, every sample counted once, 0 .. 1.
double TrainLoop::post_epoch(Phase phase, Epoch epoch, const PassResult& result, double seconds) {
  messages::EpochReport report;
  report.epoch = epoch;
  report.phase = phase;
  report.loss_sum = result.sums.loss_sum;
  report.correct = result.sums.correct;
  report.counted = result.sums.counted;
  report.padded = result.padded;
  report.padded_correct = result.padded_correct;
  report.steps = result.sums.steps;
  report.seconds = seconds;
  report.last_step = progress_.step - 1;
  report.idle_seconds = result.idle_seconds;
  reporter_.post(report);
  const Totals totals = sum_up(parts_.groups, result);
  if (parts_.is_first_rank()) {
    const std::string heading = phase == Phase::kTest
                                    ? std::string()
                                    : "epoch " + std::to_string(epoch + 1) + "/" +
                                          std::to_string(parts_.spec.train.epochs) + "  ";
    print_pass(heading, phase, totals, seconds);
  }
  return totals.exact_accuracy();
}

}  // namespace ringside::engine
