// What happens between the steps: the pass over the test samples, checkpoints when they are due,
// and the report of a whole pass.
#include <cstdio>

#include "protocol/base/clock.h"
#include "trainer/core/checkpoint_names.h"
#include "trainer/engine/evaluate.h"
#include "trainer/engine/train_loop.h"

namespace ringside::engine {
namespace {

using messages::State;

double percent(double part, double whole) { return whole > 0.0 ? 100.0 * part / whole : 0.0; }

}  // namespace

double seconds_since(std::int64_t begin_ns) {
  return static_cast<double>(mono_now_ns() - begin_ns) * 1e-9;
}

Result<void> TrainLoop::after_epoch(Epoch epoch, bool last) {
  const auto due = [&](std::int64_t every) {
    return every > 0 && (last || (epoch + 1) % every == 0);
  };
  const bool evaluating = test_loader_ && due(parts_.spec.evaluate.every_epochs);
  const bool saving = checkpoints_.enabled() && due(parts_.spec.checkpoint.every_epochs);
  if (evaluating || saving) parts_.replica->broadcast_buffers();
  if (evaluating) {
    if (auto evaluated = evaluate_epoch(epoch); !evaluated) return evaluated;
  }
  if (!saving) return {};
  const bool whole = progress_.steps_into_epoch == 0;
  return save(whole ? core::epoch_checkpoint_name(epoch)
                    : core::stop_checkpoint_name(progress_.step));
}

Result<void> TrainLoop::evaluate_epoch(Epoch epoch) {
  post_state(State::kEvaluating);
  const std::int64_t begin_ns = mono_now_ns();
  auto sums = evaluate(*parts_.network, *test_loader_, test_shard_, parts_.data.test, parts_.place,
                       parts_.bf16());
  if (!sums) return pass(sums);
  post_epoch(messages::Phase::kValidate, epoch, *sums, 0, seconds_since(begin_ns));
  return {};
}

void TrainLoop::post_epoch(messages::Phase phase, Epoch epoch, const PassSums& sums,
                           std::int64_t padded, double seconds) {
  messages::EpochReport report;
  report.epoch = epoch;
  report.phase = phase;
  report.loss_sum = sums.loss_sum;
  report.correct = sums.correct;
  report.counted = sums.counted;
  report.padded = padded;
  report.steps = sums.steps;
  report.seconds = seconds;
  report.last_step = progress_.step - 1;
  reporter_.post(report);
  double all[] = {sums.loss_sum, static_cast<double>(sums.correct),
                  static_cast<double>(sums.counted)};
  dist::sum_over_ranks(parts_.groups, all);
  if (!parts_.is_first_rank()) return;
  std::printf("epoch %d/%lld  %-8s  loss %.4f  accuracy %6.2f %%  %lld samples  %.2f s\n",
              epoch + 1, static_cast<long long>(parts_.spec.train.epochs),
              std::string(messages::name_of(phase)).c_str(), all[2] > 0.0 ? all[0] / all[2] : 0.0,
              percent(all[1], all[2]), static_cast<long long>(all[2]), seconds);
  std::fflush(stdout);
}

}  // namespace ringside::engine
