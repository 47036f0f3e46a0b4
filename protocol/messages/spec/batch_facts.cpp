#include "protocol/messages/spec/batch_facts.h"

#include <cmath>

namespace ringside::messages {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double lr_scale(const RunSpec& spec, const BatchFacts& facts) {
  if (spec.optimizer.lr_rule == "none") return 1.0;
  // A single rank takes batch.size, whether it is meant per rank or global.
  const std::int64_t base = spec.optimizer.lr_batch > 0 ? spec.optimizer.lr_batch : spec.batch.size;
  const double ratio = static_cast<double>(facts.global_batch) / static_cast<double>(base);
  return spec.optimizer.lr_rule == "linear" ? ratio : std::sqrt(ratio);
}

// Samples and steps per epoch and the remainder, for a given batch per rank.
Result<void> count_epoch(const RunSpec& spec, std::int64_t dataset_size, std::int64_t ranks,
                         BatchFacts& facts) {
  const bool repeat = spec.sampler.padding == "repeat";
  facts.samples_per_rank = repeat ? ceil_div(dataset_size, ranks) : dataset_size / ranks;
  if (facts.samples_per_rank < 1) {
    return bad_request(std::to_string(dataset_size) + " samples over " + std::to_string(ranks) +
                       " ranks leave a rank without a sample");
  }
  const std::int64_t batch = facts.per_rank_batch;
  const std::int64_t drawn = facts.samples_per_rank * ranks;
  facts.padded_samples = repeat ? drawn - dataset_size : 0;
  facts.unread_samples = repeat ? 0 : dataset_size - drawn;
  if (spec.batch.drop_last) {
    facts.steps_per_epoch = facts.samples_per_rank / batch;
    if (facts.steps_per_epoch < 1) {
      return bad_request("batch.drop_last leaves no step: a rank has " +
                         std::to_string(facts.samples_per_rank) + " samples for a batch of " +
                         std::to_string(batch));
    }
    facts.last_batch = batch;
    const std::int64_t dropped = (facts.samples_per_rank % batch) * ranks;
    if (dropped > 0) {  // the repeats are at the end, so they are dropped first
      facts.unread_samples += dropped - facts.padded_samples;
      facts.padded_samples = 0;
    }
  } else {
    facts.steps_per_epoch = ceil_div(facts.samples_per_rank, batch);
    facts.last_batch = facts.samples_per_rank - (facts.steps_per_epoch - 1) * batch;
  }
  return {};
}

}  // namespace

Result<BatchFacts> batch_facts(const RunSpec& spec, std::int64_t dataset_size) {
  const std::int64_t ranks = process_count(spec);
  const bool global = spec.batch.meaning == "global";
  if (ranks < 1 || dataset_size < 1) {
    return bad_request("devices.world_size and the data set must both be at least 1");
  }
  BatchFacts facts;
  const std::int64_t devices = spec.devices.world_size;
  facts.global_batch_nominal = global ? spec.batch.size : spec.batch.size * devices;
  facts.per_rank_batch = facts.global_batch_nominal / ranks;
  facts.global_batch = facts.per_rank_batch * ranks;
  if (facts.per_rank_batch < 1) {
    return bad_request("batch.size = " + std::to_string(spec.batch.size) + " over " +
                       std::to_string(ranks) +
                       " ranks leaves a rank without a sample; use at least one sample per rank");
  }
  if (spec.batch.accumulate > facts.per_rank_batch) {
    return bad_request("batch.accumulate = " + std::to_string(spec.batch.accumulate) +
                       " cuts a rank's batch of " + std::to_string(facts.per_rank_batch) +
                       " into parts without a sample");
  }
  facts.part_batch = ceil_div(facts.per_rank_batch, spec.batch.accumulate);
  facts.lr_scale = lr_scale(spec, facts);
  RINGSIDE_TRY(count_epoch(spec, dataset_size, ranks, facts));
  facts.total_steps = facts.steps_per_epoch * spec.train.epochs;
  if (spec.train.max_steps > 0 && spec.train.max_steps < facts.total_steps) {
    facts.total_steps = spec.train.max_steps;
  }
  return facts;
}

}  // namespace ringside::messages
