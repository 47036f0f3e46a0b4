#include "gui/model/shard_store.h"

#include <algorithm>

#include "protocol/messages/epoch_records.h"

namespace ringside::model {
namespace {

// Finaliser of SplitMix64: mixes a position and its sample into 64 bits.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

}  // namespace

std::size_t ShardDetail::memory_bytes() const {
  return sizeof(ShardDetail) + owners.memory_bytes() + ranks.capacity() * sizeof(RankShard) +
         repeats.capacity() * sizeof(RepeatedSample);
}

std::size_t ShardStore::Shard::own() const {
  const std::int64_t places = std::max<std::int64_t>(0, size - padded);
  return std::min(indices.size(), static_cast<std::size_t>((places + stride - 1) / stride));
}

void ShardStore::accept(Rank rank, const messages::ShardReport& report, Rank world_size,
                        std::int32_t attempt) {
  const bool sane = rank >= 0 && rank < world_size && report.epoch >= 0 && report.shard_size >= 0 &&
                    report.dataset_size > 0 && report.dataset_size <= kTrackedSamples &&
                    report.shard_size <= kTrackedSamples && report.offset >= 0;
  if (!sane) return;
  if (dataset_size_ != report.dataset_size) {
    if (dataset_size_ != 0) return;  // a run has only one data set
    dataset_size_ = report.dataset_size;
  }
  const Key key{attempt, report.epoch};
  Shard* const shard = shard_of(rank, report, world_size, key);
  if (shard == nullptr) return;
  shard->size = report.shard_size;
  shard->padded = report.padded;
  shard->replica = report.replicas > 0 && report.replicas < world_size ? report.replica : -1;
  replicas_.resize(std::max(replicas_.size(), static_cast<std::size_t>(rank) + 1), -1);
  replicas_[static_cast<std::size_t>(rank)] = shard->replica;
  shard->indices.insert(shard->indices.end(), report.indices.begin(), report.indices.end());
  kept_ += report.indices.size();
  const OpenPass& open = open_[key];
  const bool whole = std::all_of(open.shards.begin(), open.shards.end(),
                                 [](const Shard& one) { return one.complete(); });
  if (whole) close(key, open);
  while (kept_ > kKeptIndices && open_.size() > 1) forget_oldest();
}

/// Where to store the indices of the report; null if an earlier part is missing.
ShardStore::Shard* ShardStore::shard_of(Rank rank, const messages::ShardReport& report,
                                        Rank world_size, const Key& key) {
  if (!open_.contains(key) && open_.size() >= kTrackedEpochs) return nullptr;
  OpenPass& open = open_[key];
  open.sampler_seed = report.sampler_seed;
  if (open.shards.size() != static_cast<std::size_t>(world_size))
    open.shards.resize(static_cast<std::size_t>(world_size));
  Shard& shard = open.shards[static_cast<std::size_t>(rank)];
  // A shard that is reported again replaces the earlier one.
  if (report.offset == 0) {
    kept_ -= shard.indices.size();
    shard = Shard{};
    shard.stride = std::max<std::int64_t>(1, report.stride);
  }
  sampled_ = sampled_ || shard.stride > 1;
  return shard.told() == report.offset ? &shard : nullptr;
}

bool ShardStore::counts(Rank rank) const {
  if (!tells_part(rank)) return true;
  const auto place = static_cast<std::size_t>(rank);
  const auto end = replicas_.begin() + static_cast<std::ptrdiff_t>(place);
  return std::find(replicas_.begin(), end, replicas_[place]) == end;
}

bool ShardStore::tells_part(Rank rank) const {
  const auto place = static_cast<std::size_t>(rank);
  return rank >= 0 && place < replicas_.size() && replicas_[place] >= 0;
}

/// A lower rank that has the same part; kNoRank: none.
Rank ShardStore::same_part(const OpenPass& open, std::size_t rank) {
  if (open.shards[rank].replica < 0) return kNoRank;
  for (std::size_t i = 0; i < rank; ++i) {
    if (open.shards[i].replica == open.shards[rank].replica) return static_cast<Rank>(i);
  }
  return kNoRank;
}

EpochShards ShardStore::facts_of(const Key& key, const OpenPass& open) const {
  EpochShards facts;
  facts.attempt = key.first;
  facts.epoch = key.second;
  facts.world_size = static_cast<Rank>(open.shards.size());
  facts.parts = 0;
  facts.sampler_seed = open.sampler_seed;
  facts.dataset_size = dataset_size_;
  for (std::size_t rank = 0; rank < open.shards.size(); ++rank) {
    const Shard& shard = open.shards[rank];
    if (same_part(open, rank) != kNoRank) continue;
    ++facts.parts;
    facts.stride = std::max(facts.stride, static_cast<std::int32_t>(shard.stride));
    // A rank that reported more indices than it had announced has drawn all of these.
    facts.drawn += shard.stride > 1 ? shard.size : shard.told();
    facts.padded += shard.padded;
    for (std::size_t i = 0; i < shard.indices.size(); ++i) {
      const std::uint64_t place = (static_cast<std::uint64_t>(rank) << 40U) + i;
      facts.order_hash += mixed(mixed(place) + shard.indices[i]);
    }
  }
  return facts;
}

/// Assigns every sample to the rank that drew it first; repeats at the end do not change the owner.
void ShardStore::deal_out(const OpenPass& open, EpochShards& facts, ShardDetail& detail) const {
  detail.owners = OwnerMap(static_cast<std::size_t>(dataset_size_), facts.world_size);
  detail.ranks.resize(open.shards.size());
  const auto repeat = [&](std::uint32_t sample, Rank again, bool padding) {
    if (detail.repeats.size() < kKeptRepeats)
      detail.repeats.push_back({sample, detail.owners.at(sample), again, padding});
  };
  for (std::size_t i = 0; i < open.shards.size(); ++i) {
    const Shard& shard = open.shards[i];
    const auto rank = static_cast<Rank>(i);
    RankShard& part = detail.ranks[i];
    part.drawn = shard.size;
    part.padded = shard.padded;
    part.firsts = shard.stride > 1 ? std::min<std::size_t>(1, shard.indices.size())
                                   : std::min(kKeptFirst, shard.indices.size());
    std::copy_n(shard.indices.begin(), part.firsts, part.first.begin());
    part.same_as = same_part(open, i);
    if (part.same_as != kNoRank) continue;
    for (const std::uint32_t sample : std::span(shard.indices).first(shard.own())) {
      if (sample >= detail.owners.size()) continue;
      if (detail.owners.at(sample) != kNoRank) {
        ++facts.shared;
        repeat(sample, rank, false);
        continue;
      }
      detail.owners.set(sample, rank);
      ++part.distinct;
    }
    facts.distinct += part.distinct;
  }
  for (std::size_t i = 0; i < open.shards.size(); ++i) {
    const Shard& shard = open.shards[i];
    if (detail.ranks[i].same_as != kNoRank) continue;
    for (const std::uint32_t sample : std::span(shard.indices).subspan(shard.own())) {
      if (sample < detail.owners.size()) repeat(sample, static_cast<Rank>(i), true);
    }
  }
  std::stable_sort(
      detail.repeats.begin(), detail.repeats.end(),
      [](const RepeatedSample& a, const RepeatedSample& b) { return a.sample < b.sample; });
}

std::size_t ShardStore::newest_pass(Epoch epoch, std::int32_t before_attempt) const {
  for (std::size_t i = passes_.size(); i-- > 0;) {
    if (passes_[i].epoch == epoch && passes_[i].attempt < before_attempt) return i;
  }
  return passes_.size();
}

void ShardStore::compare_with_before(EpochShards& facts, const ShardDetail& detail) const {
  // The pass is the rest of an epoch if it lacks more samples than its ranks can leave out at its
  // end.
  const std::size_t same = newest_pass(facts.epoch, facts.attempt);
  facts.rest = same < passes_.size() && facts.stride == 1 &&
               facts.distinct + facts.parts < passes_[same].distinct;
  const std::size_t before = newest_pass(facts.epoch - 1, facts.attempt + 1);
  const ShardDetail* const known = this->detail(before);
  if (known == nullptr || known->owners.size() != detail.owners.size()) return;
  facts.moved = 0;
  for (std::size_t i = 0; i < detail.owners.size(); ++i) {
    const Rank now = detail.owners.at(i);
    const Rank then = known->owners.at(i);
    if (now == kNoRank || then == kNoRank) continue;
    ++facts.compared;
    facts.moved += now != then ? 1 : 0;
  }
}

void ShardStore::note_seen(const OwnerMap& owners) {
  seen_.resize(owners.size());
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners.at(i) == kNoRank || seen_[i]) continue;
    seen_[i] = true;
    ++seen_count_;
  }
}

void ShardStore::keep_pass(const EpochShards& facts, std::unique_ptr<ShardDetail> detail) {
  const auto same = std::find_if(passes_.begin(), passes_.end(), [&](const EpochShards& one) {
    return one.attempt == facts.attempt && one.epoch == facts.epoch;
  });
  const auto place = static_cast<std::size_t>(same - passes_.begin());
  if (same == passes_.end()) {
    if (passes_.size() >= kTrackedEpochs) return;
    passes_.push_back(facts);
    details_.emplace_back();
  }
  passes_[place] = facts;
  if (details_[place] != nullptr) detail_bytes_ -= details_[place]->memory_bytes();
  detail_bytes_ += detail->memory_bytes();
  details_[place] = std::move(detail);
  oldest_detail_ = std::min(oldest_detail_, place);
  while (detail_bytes_ > kKeptOwnerBytes && oldest_detail_ + 1 < details_.size()) {
    auto& oldest = details_[oldest_detail_++];
    if (oldest == nullptr) continue;
    detail_bytes_ -= oldest->memory_bytes();
    oldest.reset();
  }
}

void ShardStore::keep_epoch(const EpochShards& facts) {
  const auto after =
      std::lower_bound(epochs_.begin(), epochs_.end(), facts.epoch,
                       [](const EpochShards& one, Epoch wanted) { return one.epoch < wanted; });
  if (after != epochs_.end() && after->epoch == facts.epoch) {
    *after = facts;
  } else {
    epochs_.insert(after, facts);
  }
}

void ShardStore::close(const Key& key, const OpenPass& open) {
  EpochShards facts = facts_of(key, open);
  auto detail = std::make_unique<ShardDetail>();
  deal_out(open, facts, *detail);
  compare_with_before(facts, *detail);
  if (facts.stride == 1) {
    note_seen(detail->owners);
    keep_epoch(facts);
  }
  keep_pass(facts, std::move(detail));
}

void ShardStore::forget_oldest() {
  const auto oldest = open_.begin();
  for (const Shard& shard : oldest->second.shards) kept_ -= shard.indices.size();
  open_.erase(oldest);
}

std::span<const std::uint32_t> ShardStore::drawn(Epoch epoch, Rank rank) const {
  if (rank < 0) return {};
  for (auto pass = open_.rbegin(); pass != open_.rend(); ++pass) {
    if (pass->first.second != epoch) continue;
    const auto& shards = pass->second.shards;
    if (static_cast<std::size_t>(rank) >= shards.size()) return {};
    return shards[static_cast<std::size_t>(rank)].indices;
  }
  return {};
}

std::int64_t ShardStore::never_drawn() const {
  return epochs_.empty() ? 0 : dataset_size_ - seen_count_;
}

std::size_t ShardStore::memory_bytes() const {
  return kept_ * sizeof(std::uint32_t) + detail_bytes_ + seen_.size() / 8 +
         (epochs_.capacity() + passes_.capacity()) * sizeof(EpochShards);
}

}  // namespace ringside::model
