// Shards as DistributedSampler makes them, for made-up runs of tests: the order of torch.randperm,
// padded by repeating its first samples, rank r at positions r, r + N, ...
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "tests/gui/analysis/made_run.h"

namespace ringside::support {

/// Shuffles with MT19937, swapping index i with i + random mod (n - i).
inline std::vector<std::uint32_t> torch_order(std::uint64_t seed, std::uint32_t samples) {
  std::vector<std::uint32_t> order(samples);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  for (std::uint32_t i = 0; i + 1 < samples; ++i)
    std::swap(order[i], order[i + static_cast<std::uint32_t>(random()) % (samples - i)]);
  return order;
}

/// Reports of every rank for an epoch in the order of `seed`.
inline std::vector<messages::ShardReport> dealt_out(Rank ranks, Epoch epoch, std::uint32_t samples,
                                                    std::uint64_t seed) {
  std::vector<std::uint32_t> order = torch_order(seed, samples);
  const auto world = static_cast<std::uint32_t>(ranks);
  for (std::uint32_t i = 0; order.size() % world != 0; ++i) order.push_back(order[i]);
  std::vector<messages::ShardReport> reports(world);
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    messages::ShardReport& body = reports[rank];
    body.epoch = epoch;
    body.sampler_seed = seed;
    body.dataset_size = samples;
    for (std::size_t at = rank; at < order.size(); at += world) {
      body.indices.push_back(order[at]);
      body.padded += at >= samples ? 1 : 0;
    }
    body.shard_size = static_cast<std::int64_t>(body.indices.size());
  }
  return reports;
}

inline void draw_epoch(MadeRun& run, Epoch epoch, std::uint32_t samples, std::uint64_t seed) {
  Rank rank = 0;
  for (auto& body : dealt_out(run.ranks(), epoch, samples, seed)) run.say(rank++, 0, body);
}

/// Restarts the ranks from a checkpoint after `first_step` steps.
inline void restart_run(MadeRun& run, std::int32_t attempt, Step first_step, Rank ranks) {
  for (Rank rank = 0; rank < ranks; ++rank) {
    messages::RankHello hello;
    hello.world_size = ranks;
    hello.attempt = attempt;
    hello.first_step = first_step;
    run.say(rank, 0, hello);
  }
}

}  // namespace ringside::support
