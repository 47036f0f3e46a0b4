#include "trainer/check/step_bench.h"

namespace ringside::check {

StepBench::StepBench(engine::RankParts& parts)
    : parts_(parts),
      watch_(parts.groups, engine::collective_timeout(parts.spec)),
      recorder_(*parts.timeline, unheard_, parts.replica->buckets(), watch_),
      progress_(parts),
      step_(parts, progress_, recorder_) {}

Result<void> StepBench::begin() {
  if (auto prepared = progress_.prepare(); !prepared) return prepared;
  progress_.start();
  auto batches = RINGSIDE_TRY(engine::BatchSource::create(parts_, watch_));
  batches_.emplace(std::move(batches));
  parts_.network->set_training(true);
  return {};
}

Result<engine::DeviceBatch> StepBench::next_batch() {
  if (left_ == 0) {
    const auto indices = progress_.begin_epoch(unheard_);
    RINGSIDE_TRY(batches_->start(indices, epoch_++));
    const auto samples = static_cast<std::int64_t>(indices.size());
    left_ = (samples + parts_.facts.per_rank_batch - 1) / parts_.facts.per_rank_batch;
  }
  --left_;
  return batches_->next(recorder_);
}

void StepBench::step(const engine::DeviceBatch& batch) {
  recorder_.begin(progress_.now().epoch, progress_.now().step);
  recorder_.mark(engine::Mark::kDataReady);
  const double learning_rate = progress_.learning_rate();
  const auto numbers = step_.run(batch, learning_rate);
  recorder_.end(static_cast<std::int32_t>(batch.size()), learning_rate, numbers);
  progress_.advance();
}

const messages::StepReport& StepBench::finish() {
  (void)recorder_.finish_pass();
  return recorder_.last_report();
}

}  // namespace ringside::check
