#include "gui/model/shard_store.h"

#include <algorithm>

#include "protocol/messages/epoch_records.h"

namespace ringside::model {
namespace {

// Finaliser of SplitMix64: a place and its sample together give 64 mixed bits.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

}  // namespace

void ShardStore::accept(Rank rank, const messages::ShardReport& report, Rank world_size) {
  const bool sane = rank >= 0 && rank < world_size && report.epoch >= 0 && report.shard_size >= 0 &&
                    report.dataset_size > 0 && report.dataset_size <= kTrackedSamples &&
                    report.shard_size <= kTrackedSamples && report.offset >= 0;
  if (!sane) return;
  if (report.stride > 1) {
    sampled_ = true;
    return;
  }
  if (dataset_size_ != report.dataset_size) {
    if (dataset_size_ != 0) return;  // one run has one data set
    dataset_size_ = report.dataset_size;
  }
  if (!open_.contains(report.epoch) && open_.size() >= kTrackedEpochs) return;
  OpenEpoch& open = open_[report.epoch];
  open.sampler_seed = report.sampler_seed;
  if (open.shards.size() != static_cast<std::size_t>(world_size))
    open.shards.resize(static_cast<std::size_t>(world_size));
  Shard& shard = open.shards[static_cast<std::size_t>(rank)];
  // An attempt that restarts the epoch reports its shard again, from the start.
  if (report.offset == 0) {
    kept_ -= shard.indices.size();
    shard = Shard{};
  }
  if (static_cast<std::int64_t>(shard.indices.size()) != report.offset) return;  // a chunk is lost
  shard.size = report.shard_size;
  shard.padded = report.padded;
  shard.indices.insert(shard.indices.end(), report.indices.begin(), report.indices.end());
  kept_ += report.indices.size();
  const bool whole = std::all_of(open.shards.begin(), open.shards.end(),
                                 [](const Shard& one) { return one.complete(); });
  if (whole) close(report.epoch, open);
  while (kept_ > kKeptIndices && open_.size() > 1) forget_oldest();
}

std::vector<Rank> ShardStore::owners_of(const OpenEpoch& open) const {
  std::vector<Rank> owners(static_cast<std::size_t>(dataset_size_), kNoRank);
  for (std::size_t rank = 0; rank < open.shards.size(); ++rank) {
    const Shard& shard = open.shards[rank];
    const auto own = static_cast<std::size_t>(std::max<std::int64_t>(0, shard.size - shard.padded));
    for (std::size_t i = 0; i < std::min(own, shard.indices.size()); ++i) {
      if (shard.indices[i] < owners.size()) owners[shard.indices[i]] = static_cast<Rank>(rank);
    }
  }
  return owners;
}

void ShardStore::close(Epoch epoch, OpenEpoch& open) {
  EpochShards facts;
  facts.epoch = epoch;
  facts.sampler_seed = open.sampler_seed;
  facts.dataset_size = dataset_size_;
  for (std::size_t rank = 0; rank < open.shards.size(); ++rank) {
    const Shard& shard = open.shards[rank];
    facts.drawn += static_cast<std::int64_t>(shard.indices.size());
    facts.padded += shard.padded;
    for (std::size_t i = 0; i < shard.indices.size(); ++i) {
      const std::uint64_t place = (static_cast<std::uint64_t>(rank) << 40U) + i;
      facts.order_hash += mixed(mixed(place) + shard.indices[i]);
    }
  }
  auto owners = owners_of(open);
  seen_.resize(owners.size());
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] == kNoRank) continue;
    ++facts.distinct;
    seen_[i] = true;
  }
  if (owners_epoch_ == epoch - 1 && owners_epoch_ >= 0) {
    facts.moved = 0;
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (owners[i] == kNoRank || owners_[i] == kNoRank) continue;
      ++facts.compared;
      facts.moved += owners[i] != owners_[i] ? 1 : 0;
    }
  }
  open.tracked = true;
  const auto after =
      std::lower_bound(epochs_.begin(), epochs_.end(), epoch,
                       [](const EpochShards& one, Epoch wanted) { return one.epoch < wanted; });
  if (after != epochs_.end() && after->epoch == epoch) {
    if (facts.moved < 0) facts.moved = after->moved, facts.compared = after->compared;
    *after = facts;
  } else {
    epochs_.insert(after, facts);
  }
  if (epoch >= owners_epoch_) {
    owners_ = std::move(owners);
    owners_epoch_ = epoch;
  }
}

void ShardStore::forget_oldest() {
  const auto oldest = open_.begin();
  for (const Shard& shard : oldest->second.shards) kept_ -= shard.indices.size();
  open_.erase(oldest);
}

std::span<const std::uint32_t> ShardStore::drawn(Epoch epoch, Rank rank) const {
  const auto found = open_.find(epoch);
  if (found == open_.end() || rank < 0) return {};
  const auto& shards = found->second.shards;
  if (static_cast<std::size_t>(rank) >= shards.size()) return {};
  return shards[static_cast<std::size_t>(rank)].indices;
}

std::int64_t ShardStore::never_drawn() const {
  return epochs_.empty() ? 0 : dataset_size_ - std::count(seen_.begin(), seen_.end(), true);
}

std::size_t ShardStore::memory_bytes() const {
  return kept_ * sizeof(std::uint32_t) + owners_.capacity() * sizeof(Rank) + seen_.size() / 8 +
         epochs_.capacity() * sizeof(EpochShards);
}

}  // namespace ringside::model
