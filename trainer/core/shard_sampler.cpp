#include "trainer/core/shard_sampler.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

namespace ringside::core {
namespace {

// Number of positions rank, rank + world, ... below `size`.
std::int64_t positions_of(std::int64_t size, std::int64_t rank, std::int64_t world) {
  return rank < size ? (size - rank + world - 1) / world : 0;
}

Result<void> check(const ShardOptions& o) {
  if (o.dataset_size < 1 || o.dataset_size >= kMaxDatasetSize) {
    return bad_request("the sampler takes 1 to " + std::to_string(kMaxDatasetSize - 1) +
                       " samples, not " + std::to_string(o.dataset_size));
  }
  if (o.world_size < 1 || o.rank < 0 || o.rank >= o.world_size) {
    return bad_request("rank " + std::to_string(o.rank) + " is not one of " +
                       std::to_string(o.world_size) + " ranks");
  }
  if (!o.repeat_padding && o.dataset_size < o.world_size) {
    return bad_request(std::to_string(o.dataset_size) + " samples over " +
                       std::to_string(o.world_size) +
                       " ranks leave a rank without a sample; set sampler.padding = \"repeat\" or "
                       "use fewer ranks");
  }
  return {};
}

}  // namespace

void torch_randperm(std::uint64_t seed, std::int64_t n, std::vector<std::uint32_t>& order) {
  order.resize(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 engine(static_cast<std::uint32_t>(seed));
  const std::size_t size = order.size();
  for (std::size_t i = 0; i + 1 < size; ++i) {
    std::swap(order[i], order[i + engine() % (size - i)]);
  }
}

ShardOptions shard_options(const messages::RunSpec& spec, std::int64_t dataset_size, Rank rank) {
  ShardOptions options;
  options.dataset_size = dataset_size;
  options.rank = rank;
  options.world_size = messages::process_count(spec);
  options.seed = static_cast<std::uint64_t>(messages::sampler_seed(spec));
  options.shuffle = spec.sampler.shuffle;
  options.set_epoch = spec.sampler.set_epoch;
  options.repeat_padding = spec.sampler.padding == "repeat";
  return options;
}

Result<ShardSampler> ShardSampler::create(const ShardOptions& options) {
  RINGSIDE_TRY(check(options));
  return ShardSampler(options);
}

ShardSampler::ShardSampler(const ShardOptions& options) : options_(options) {
  const std::int64_t n = options.dataset_size;
  const std::int64_t world = options.world_size;
  shard_size_ = options.repeat_padding ? (n + world - 1) / world : n / world;
  const std::int64_t own = positions_of(n, options.rank, world);
  padded_ = options.repeat_padding ? shard_size_ - own : 0;
}

std::uint64_t ShardSampler::seed_of(Epoch epoch) const {
  return options_.set_epoch ? options_.seed + static_cast<std::uint64_t>(epoch) : options_.seed;
}

std::int64_t ShardSampler::rest_size(std::int64_t consumed) const {
  const std::int64_t left = std::max<std::int64_t>(options_.dataset_size - consumed, 0);
  const std::int64_t world = options_.world_size;
  return options_.repeat_padding ? (left + world - 1) / world : left / world;
}

ShardSampler::Rest ShardSampler::draw_rest(Epoch epoch, std::int64_t consumed) {
  const std::int64_t n = options_.dataset_size;
  const std::int64_t world = options_.world_size;
  if (options_.shuffle) {
    torch_randperm(seed_of(epoch), n, order_);
  } else if (order_.empty()) {
    order_.resize(static_cast<std::size_t>(n));
    std::iota(order_.begin(), order_.end(), 0U);
  }
  const std::int64_t size = rest_size(consumed);
  shard_.resize(static_cast<std::size_t>(size));
  std::int64_t position = consumed + options_.rank;
  for (std::uint32_t& index : shard_) {
    // The order is repeated for padding, several times if there are more ranks than samples.
    index = order_[static_cast<std::size_t>(position < n ? position : position % n)];
    position += world;
  }
  const std::int64_t own =
      positions_of(std::max<std::int64_t>(n - consumed, 0), options_.rank, world);
  return {shard_, options_.repeat_padding ? size - own : 0};
}

EvaluationShard evaluation_shard(std::string_view mode, std::int64_t dataset_size, Rank rank,
                                 std::int64_t world_size) {
  EvaluationShard shard;
  const bool alone = mode == "rank0";
  if (alone && rank != 0) return shard;
  const std::int64_t step = alone ? 1 : world_size;
  const std::int64_t own = positions_of(dataset_size, rank, step);
  const std::int64_t size = mode == "padded" ? (dataset_size + world_size - 1) / world_size : own;
  shard.repeats = size - own;
  shard.indices.reserve(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) {
    shard.indices.push_back(static_cast<std::uint32_t>((rank + i * step) % dataset_size));
  }
  return shard;
}

}  // namespace ringside::core
