// Which samples each rank drew in each epoch, from ShardReports, and what follows: how many
// samples changed their rank, whether an order was repeated, what was read twice or not at all.
// Indices are kept for the newest epochs within kKeptIndices; what follows from them is kept for
// every epoch. One thread; lives inside the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/messages/record_types.h"

namespace ringside::model {

/// Indices kept, over all ranks and epochs: 16 MiB.
inline constexpr std::size_t kKeptIndices = std::size_t{1} << 22;
/// Data sets larger than this are not tracked by sample.
inline constexpr std::int64_t kTrackedSamples = std::int64_t{1} << 24;
inline constexpr std::size_t kTrackedEpochs = std::size_t{1} << 16;

/// One epoch over all ranks.
struct EpochShards {
  Epoch epoch = 0;
  std::uint64_t sampler_seed = 0;
  std::int64_t dataset_size = 0;
  std::int64_t drawn = 0;        ///< over all ranks, repeats included
  std::int64_t padded = 0;       ///< of them, repeats at the end, as the ranks reported
  std::int64_t distinct = 0;     ///< samples that were drawn at least once
  std::uint64_t order_hash = 0;  ///< equal for equal orders on all ranks
  std::int64_t moved = -1;  ///< samples drawn by another rank than in the epoch before; -1: unknown
  std::int64_t compared = 0;  ///< samples drawn in both
};

class ShardStore {
 public:
  void accept(Rank rank, const messages::ShardReport& report, Rank world_size);

  /// Epochs that every rank has reported completely, ascending.
  std::span<const EpochShards> epochs() const { return epochs_; }
  /// What a rank drew in an epoch, in order; empty where it is not kept (any more).
  std::span<const std::uint32_t> drawn(Epoch epoch, Rank rank) const;
  /// Samples that no complete epoch has drawn, and the number there are; 0 of 0 before the first.
  std::int64_t never_drawn() const;
  std::int64_t dataset_size() const { return dataset_size_; }
  /// True when a shard was reported with a stride (every n-th index of a large data set).
  bool sampled() const { return sampled_; }
  std::size_t memory_bytes() const;

 private:
  struct Shard {
    std::vector<std::uint32_t> indices;
    std::int64_t size = -1;  ///< announced; -1: not reported yet
    std::int64_t padded = 0;
    bool complete() const { return size >= 0 && static_cast<std::int64_t>(indices.size()) >= size; }
  };
  struct OpenEpoch {
    std::uint64_t sampler_seed = 0;
    std::vector<Shard> shards;  ///< by rank
    bool tracked = false;
  };

  void close(Epoch epoch, OpenEpoch& open);
  std::vector<Rank> owners_of(const OpenEpoch& open) const;
  void forget_oldest();

  std::map<Epoch, OpenEpoch> open_;
  std::vector<EpochShards> epochs_;
  std::vector<Rank> owners_;  ///< by sample, in the newest tracked epoch; kNoRank: not drawn
  Epoch owners_epoch_ = -1;
  std::vector<bool> seen_;  ///< by sample, in any tracked epoch
  std::int64_t dataset_size_ = 0;
  std::size_t kept_ = 0;
  bool sampled_ = false;
};

}  // namespace ringside::model
