// Draws the samples of each rank, with the same indices as torch.utils.data.DistributedSampler.
// Pure; an object belongs to one thread and reuses its memory from epoch to epoch.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::core {

/// torch.randperm(n) on a CPU generator with manual_seed(seed), written to `order` (resized to n):
/// MT19937 seeded with the low 32 bits; position i is swapped with i + draw % (n - i). Valid below
/// kMaxDatasetSize, where PyTorch changes its method (aten/src/ATen/native/TensorFactories.cpp,
/// randperm_cpu).
void torch_randperm(std::uint64_t seed, std::int64_t n, std::vector<std::uint32_t>& order);

inline constexpr std::int64_t kMaxDatasetSize = 214'748'364;

struct ShardOptions {
  std::int64_t dataset_size = 0;
  Rank rank = 0;
  std::int64_t world_size = 1;
  std::uint64_t seed = 0;      ///< for epoch 0
  bool shuffle = true;         ///< false: 0, 1, 2, ... in order
  bool set_epoch = true;       ///< false: every epoch repeats the order of epoch 0
  bool repeat_padding = true;  ///< false: DistributedSampler(drop_last=True), the tail is left out
};

/// The options of a run's spec, with one shard per process.
ShardOptions shard_options(const messages::RunSpec& spec, std::int64_t dataset_size, Rank rank);

class ShardSampler {
 public:
  /// Bad request when a size is not positive, the rank is outside the world size, the data set has
  /// kMaxDatasetSize samples or more, or a rank would get no sample.
  static Result<ShardSampler> create(const ShardOptions& options);

  const ShardOptions& options() const { return options_; }
  /// The seed of an epoch's order, as in ShardReport.
  std::uint64_t seed_of(Epoch epoch) const;
  /// Samples per epoch of this rank, repeats included; equal on all ranks.
  std::int64_t shard_size() const { return shard_size_; }
  /// Number of repeats among this rank's samples, which are at the end of its shard.
  std::int64_t padded() const { return padded_; }
  /// Draws this rank's indices in reading order. Valid until the next call.
  std::span<const std::uint32_t> draw(Epoch epoch) { return draw_rest(epoch, 0).indices; }

  /// The rest of an epoch after ranks (any number) have read `consumed` samples. Ranks read the
  /// order in turns, so they have always read its beginning; the rest is therefore the order from
  /// there on, sharded over the current ranks and padded, or cut, like a whole epoch. With the same
  /// number of ranks it is the end of draw(epoch). Empty when nothing is left.
  struct Rest {
    std::span<const std::uint32_t> indices;  ///< valid until the next call
    std::int64_t padded = 0;                 ///< repeats at the end of `indices`
  };
  Rest draw_rest(Epoch epoch, std::int64_t consumed);
  /// Number of samples per rank in that rest.
  std::int64_t rest_size(std::int64_t consumed) const;

 private:
  explicit ShardSampler(const ShardOptions& options);

  ShardOptions options_;
  std::int64_t shard_size_ = 0;
  std::int64_t padded_ = 0;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> shard_;
};

/// A rank's share of an evaluation pass.
struct EvaluationShard {
  std::vector<std::uint32_t> indices;
  std::int64_t repeats = 0;  ///< samples at the end of `indices` that other ranks also have
};

/// A rank's shard by evaluate.mode. exact: positions rank, rank + world, ... below the size, so
/// ranks may differ by one sample and a rank may get none; padded: the same, then the first samples
/// again until all have equally many, like DistributedSampler(shuffle=False); rank0: everything for
/// rank 0.
EvaluationShard evaluation_shard(std::string_view mode, std::int64_t dataset_size, Rank rank,
                                 std::int64_t world_size);

}  // namespace ringside::core
