#include "trainer/core/shard_sampler.h"

#include <numeric>
#include <random>
#include <string>

namespace ringside::core {
namespace {

// Positions rank, rank + world, ... below `size`.
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
  if (const auto checked = check(options); !checked) return pass(checked);
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

std::span<const std::uint32_t> ShardSampler::draw(Epoch epoch) {
  const auto n = static_cast<std::size_t>(options_.dataset_size);
  if (options_.shuffle) {
    torch_randperm(seed_of(epoch), options_.dataset_size, order_);
  } else if (order_.empty()) {
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0U);
  }
  shard_.resize(static_cast<std::size_t>(shard_size_));
  std::size_t position = static_cast<std::size_t>(options_.rank);
  for (std::uint32_t& index : shard_) {
    // Beyond the end the order begins again, as often as it takes when there are more ranks than
    // samples.
    index = order_[position < n ? position : position % n];
    position += static_cast<std::size_t>(options_.world_size);
  }
  return shard_;
}

std::vector<std::uint32_t> exact_shard(std::int64_t dataset_size, Rank rank,
                                       std::int64_t world_size) {
  std::vector<std::uint32_t> shard;
  shard.reserve(static_cast<std::size_t>(positions_of(dataset_size, rank, world_size)));
  for (std::int64_t position = rank; position < dataset_size; position += world_size) {
    shard.push_back(static_cast<std::uint32_t>(position));
  }
  return shard;
}

}  // namespace ringside::core
