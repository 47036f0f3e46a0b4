#include "protocol/messages/batch_facts.h"

namespace ringside::messages {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

Result<BatchFacts> batch_facts(const RunSpec& spec, std::int64_t dataset_size) {
  const std::int64_t ranks = spec.devices.world_size;
  const bool global = spec.batch.meaning == "global";
  if (ranks < 1 || dataset_size < 1) {
    return bad_request("devices.world_size and the data set must both be at least 1");
  }
  BatchFacts facts;
  facts.per_rank_batch = global ? spec.batch.size / ranks : spec.batch.size;
  facts.global_batch_nominal = global ? spec.batch.size : spec.batch.size * ranks;
  facts.global_batch = facts.per_rank_batch * ranks;
  if (facts.per_rank_batch < 1) {
    return bad_request("batch.size = " + std::to_string(spec.batch.size) + " over " +
                       std::to_string(ranks) +
                       " ranks leaves a rank without a sample; use at least one sample per rank");
  }
  const bool repeat = spec.sampler.padding == "repeat";
  facts.samples_per_rank = repeat ? ceil_div(dataset_size, ranks) : dataset_size / ranks;
  if (facts.samples_per_rank < 1) {
    return bad_request(std::to_string(dataset_size) + " samples over " + std::to_string(ranks) +
                       " ranks leave a rank without a sample");
  }
  const std::int64_t drawn = facts.samples_per_rank * ranks;
  facts.padded_samples = repeat ? drawn - dataset_size : 0;
  facts.unread_samples = repeat ? 0 : dataset_size - drawn;
  facts.steps_per_epoch = ceil_div(facts.samples_per_rank, facts.per_rank_batch);
  facts.last_batch = facts.samples_per_rank - (facts.steps_per_epoch - 1) * facts.per_rank_batch;
  facts.total_steps = facts.steps_per_epoch * spec.train.epochs;
  if (spec.train.max_steps > 0 && spec.train.max_steps < facts.total_steps) {
    facts.total_steps = spec.train.max_steps;
  }
  return facts;
}

}  // namespace ringside::messages
