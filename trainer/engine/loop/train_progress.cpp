#include "trainer/engine/loop/train_progress.h"

#include <algorithm>

#include "trainer/core/lr_schedule.h"
#include "trainer/core/shard_report.h"

namespace ringside::engine {

Result<void> TrainProgress::prepare() {
  auto sampler = RINGSIDE_TRY(core::ShardSampler::create(
      core::shard_options(parts_.spec, parts_.data.train.count, parts_.env.rank)));
  sampler_.emplace(std::move(sampler));
  return {};
}

void TrainProgress::resume(const Progress& saved, std::int64_t saved_steps_per_epoch) {
  now_ = saved;
  if (saved_steps_per_epoch != parts_.facts.steps_per_epoch) {
    // The schedule continues at the same fraction of the run.
    now_.schedule_step = now_.epoch * parts_.facts.steps_per_epoch +
                         now_.samples_into_epoch / parts_.facts.global_batch;
  }
  start();
}

// Computes the number of steps that remain.
void TrainProgress::start() {
  const std::int64_t per_epoch = parts_.facts.steps_per_epoch;
  if (now_.steps_into_epoch > 0 && steps_of(sampler_->rest_size(now_.samples_into_epoch)) == 0) {
    ++now_.epoch;  // the rest is less than one step of the current ranks
    now_.steps_into_epoch = 0;
    now_.samples_into_epoch = 0;
  }
  std::int64_t steps = (parts_.spec.train.epochs - now_.epoch) * per_epoch;
  if (now_.steps_into_epoch > 0)
    steps += steps_of(sampler_->rest_size(now_.samples_into_epoch)) - per_epoch;
  last_step_ = now_.step + std::max<std::int64_t>(steps, 0);
  if (parts_.spec.train.max_steps > 0)
    last_step_ = std::min<Step>(last_step_, parts_.spec.train.max_steps);
}

std::int64_t TrainProgress::steps_of(std::int64_t shard_size) const {
  const std::int64_t batch = parts_.facts.per_rank_batch;
  return parts_.spec.batch.drop_last ? shard_size / batch : (shard_size + batch - 1) / batch;
}

double TrainProgress::learning_rate() const {
  return core::learning_rate(parts_.spec.optimizer, parts_.spec.schedule,
                             core::schedule_position(parts_.facts, now_.epoch, now_.schedule_step));
}

// Begins or resumes an epoch. With the same world size and batch, the whole shard is drawn and
// reported, and skipped up to the current position; otherwise the remaining samples are divided
// among the current ranks.
std::span<const std::uint32_t> TrainProgress::begin_epoch(telemetry::Reporter& reporter) {
  const std::int64_t batch = parts_.facts.per_rank_batch;
  const bool as_begun =
      now_.samples_into_epoch == now_.steps_into_epoch * batch * parts_.env.world_size;
  const auto shard = sampler_->draw_rest(now_.epoch, as_begun ? 0 : now_.samples_into_epoch);
  for (const auto& report : core::shard_reports(*sampler_, now_.epoch, shard))
    reporter.post(report);
  const auto size = static_cast<std::int64_t>(shard.indices.size());
  first_position_ = as_begun ? std::min(now_.steps_into_epoch * batch, size) : 0;
  shard_own_ = size - shard.padded;
  const std::int64_t steps = steps_of(size - first_position_);
  epoch_steps_ = now_.steps_into_epoch + steps;
  const std::int64_t read = std::min(steps * batch, size - first_position_);
  return shard.indices.subspan(static_cast<std::size_t>(first_position_),
                               static_cast<std::size_t>(read));
}

bool TrainProgress::advance() {
  ++now_.step;
  ++now_.schedule_step;
  ++now_.steps_into_epoch;
  now_.samples_into_epoch += parts_.facts.per_rank_batch * std::int64_t{parts_.env.world_size};
  if (now_.steps_into_epoch < epoch_steps_) return false;
  ++now_.epoch;
  now_.steps_into_epoch = 0;
  now_.samples_into_epoch = 0;
  return true;
}

std::int64_t TrainProgress::padded(std::int64_t counted) const {
  return std::max<std::int64_t>(first_position_ + counted - shard_own_, 0);
}

bool TrainProgress::improve(double accuracy) {
  if (!(accuracy > now_.best_accuracy)) return false;
  now_.best_accuracy = accuracy;
  return true;
}

}  // namespace ringside::engine
