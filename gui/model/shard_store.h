// The samples that each rank drew in each epoch, from ShardReports, and the results: which rank
// owns which sample, how many changed their rank, whether an order was repeated, which samples were
// read twice or not at all. An epoch that is repeated after a restart is a pass of its own. Indices
// are kept for the newest passes within kKeptIndices, owners within kKeptOwnerBytes; the results
// are kept for every pass. One thread; lives inside the model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gui/model/owner_map.h"
#include "protocol/base/ids.h"
#include "protocol/messages/record_types.h"

namespace ringside::model {

/// Limit of stored indices, over all ranks and epochs: 16 MiB.
inline constexpr std::size_t kKeptIndices = std::size_t{1} << 22;
/// Limit of stored owners and their details, over all passes: 64 MiB.
inline constexpr std::size_t kKeptOwnerBytes = std::size_t{1} << 26;
/// Data sets larger than this are not tracked by sample.
inline constexpr std::int64_t kTrackedSamples = std::int64_t{1} << 24;
inline constexpr std::size_t kTrackedEpochs = std::size_t{1} << 16;
/// Stored repeats of one pass; all of them are counted.
inline constexpr std::size_t kKeptRepeats = 4096;
/// First samples of each rank that are stored even if its other indices are not.
inline constexpr std::size_t kKeptFirst = 4;

/// One pass: an epoch over all ranks.
struct EpochShards {
  Epoch epoch = 0;
  std::int32_t attempt = 0;  ///< index among the run's attempts; 0: the first
  Rank world_size = 1;
  Rank parts = 1;  ///< of the data set; fewer than ranks if some ranks draw the same part
  std::uint64_t sampler_seed = 0;
  std::int64_t dataset_size = 0;
  std::int64_t drawn = 0;        ///< over all ranks, including repeats
  std::int64_t padded = 0;       ///< repeats at the end of shards, according to the ranks
  std::int64_t shared = 0;       ///< samples drawn twice although no rank reported a repeat
  std::int64_t distinct = 0;     ///< samples that were drawn at least once
  std::uint64_t order_hash = 0;  ///< equal for equal orders on all ranks
  std::int64_t moved = -1;  ///< samples drawn by another rank than in the epoch before; -1: unknown
  std::int64_t compared = 0;  ///< samples drawn in both epochs
  std::int32_t stride = 1;    ///< above 1: only every stride-th index was reported
  bool rest = false;          ///< the part of an epoch that an earlier attempt left, divided again
};

struct RankShard {
  std::int64_t drawn = 0;
  std::int64_t padded = 0;
  std::int64_t distinct = 0;  ///< samples that this rank was the first to draw
  std::array<std::uint32_t, kKeptFirst> first{};
  std::size_t firsts = 0;  ///< number of valid entries in `first`
  Rank same_as = kNoRank;  ///< a lower rank that drew the same part
};

/// A sample that a pass drew more than once.
struct RepeatedSample {
  std::uint32_t sample = 0;
  Rank owner = kNoRank;  ///< the rank that drew it first
  Rank again = kNoRank;
  bool padding = true;  ///< reported as a repeat
};

/// A pass sample by sample.
struct ShardDetail {
  OwnerMap owners;
  std::vector<RankShard> ranks;
  std::vector<RepeatedSample> repeats;  ///< by sample, at most kKeptRepeats
  std::size_t memory_bytes() const;
};

class ShardStore {
 public:
  /// `attempt`: index of the reporting rank's attempt.
  void accept(Rank rank, const messages::ShardReport& report, Rank world_size,
              std::int32_t attempt = 0);

  /// Epochs that every rank has reported completely, ascending; for a repeated epoch its newest
  /// pass.
  std::span<const EpochShards> epochs() const { return epochs_; }
  /// Every pass in the order of the reports, including those with sampled shards.
  std::span<const EpochShards> passes() const { return passes_; }
  /// Details of the pass at this index; null if they are not stored (any more).
  const ShardDetail* detail(std::size_t pass) const {
    return pass < details_.size() ? details_[pass].get() : nullptr;
  }
  /// The samples that a rank drew in an epoch, in order; empty if they are not stored (any more).
  std::span<const std::uint32_t> drawn(Epoch epoch, Rank rank) const;
  /// Number of samples that no complete epoch has drawn; 0 before the first one.
  std::int64_t never_drawn() const;
  std::int64_t dataset_size() const { return dataset_size_; }
  /// Whether a shard was reported with a stride (every n-th index of a large data set).
  bool sampled() const { return sampled_; }
  /// False if a lower rank draws the same part: samples of both count once.
  bool counts(Rank rank) const;
  /// Whether the rank's sampler reported which part of the data set it draws.
  bool tells_part(Rank rank) const;
  std::size_t memory_bytes() const;

 private:
  struct Shard {
    std::vector<std::uint32_t> indices;
    std::int64_t size = -1;  ///< as announced; -1: not reported yet
    std::int64_t padded = 0;
    std::int64_t stride = 1;
    std::int32_t replica = -1;
    std::int64_t told() const { return static_cast<std::int64_t>(indices.size()) * stride; }
    bool complete() const { return size >= 0 && told() >= size; }
    /// Number of indices that are not padding.
    std::size_t own() const;
  };
  struct OpenPass {
    std::uint64_t sampler_seed = 0;
    std::vector<Shard> shards;  ///< by rank
  };
  using Key = std::pair<std::int32_t, Epoch>;  ///< attempt and epoch

  Shard* shard_of(Rank rank, const messages::ShardReport& report, Rank world_size, const Key& key);
  void close(const Key& key, const OpenPass& open);
  static Rank same_part(const OpenPass& open, std::size_t rank);
  EpochShards facts_of(const Key& key, const OpenPass& open) const;
  void deal_out(const OpenPass& open, EpochShards& facts, ShardDetail& detail) const;
  void compare_with_before(EpochShards& facts, const ShardDetail& detail) const;
  void note_seen(const OwnerMap& owners);
  void keep_pass(const EpochShards& facts, std::unique_ptr<ShardDetail> detail);
  void keep_epoch(const EpochShards& facts);
  /// Newest pass of an epoch before that attempt; passes_.size() if there is none.
  std::size_t newest_pass(Epoch epoch, std::int32_t before_attempt) const;
  void forget_oldest();

  std::map<Key, OpenPass> open_;
  std::vector<EpochShards> epochs_;
  std::vector<EpochShards> passes_;
  std::vector<std::unique_ptr<ShardDetail>> details_;  ///< by pass; null: dropped
  std::size_t oldest_detail_ = 0;
  std::size_t detail_bytes_ = 0;
  std::vector<bool> seen_;  ///< by sample, in any tracked epoch
  std::int64_t seen_count_ = 0;
  std::int64_t dataset_size_ = 0;
  std::size_t kept_ = 0;
  bool sampled_ = false;
  std::vector<std::int32_t> replicas_;  ///< by rank, as last reported; -1: a part of its own
};

}  // namespace ringside::model
