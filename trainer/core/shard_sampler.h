// Draws the samples that each rank reads, index for index as torch.utils.data.DistributedSampler
// does. Pure; an object belongs to one thread and keeps its scratch memory from epoch to epoch.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::core {

/// torch.randperm(n) on a CPU generator with manual_seed(seed), into `order` (resized to n):
/// MT19937 seeded with the low 32 bits, place i swapped with i + draw % (n - i). Holds below
/// kMaxDatasetSize, where PyTorch changes its method (aten/src/ATen/native/TensorFactories.cpp,
/// randperm_cpu).
void torch_randperm(std::uint64_t seed, std::int64_t n, std::vector<std::uint32_t>& order);

inline constexpr std::int64_t kMaxDatasetSize = 214'748'364;

struct ShardOptions {
  std::int64_t dataset_size = 0;
  Rank rank = 0;
  std::int64_t world_size = 1;
  std::uint64_t seed = 0;      ///< of epoch 0
  bool shuffle = true;         ///< off: 0, 1, 2, ... in order
  bool set_epoch = true;       ///< off: every epoch repeats the order of epoch 0
  bool repeat_padding = true;  ///< off: DistributedSampler(drop_last=True), the tail is left out
};

/// The options that a run's spec asks for. One shard per process.
ShardOptions shard_options(const messages::RunSpec& spec, std::int64_t dataset_size, Rank rank);

class ShardSampler {
 public:
  /// Bad request when a size is not positive, the rank is outside the world, the data set is not
  /// below kMaxDatasetSize, or a rank would get no sample.
  static Result<ShardSampler> create(const ShardOptions& options);

  const ShardOptions& options() const { return options_; }
  /// The seed behind an epoch's order, as ShardReport holds it.
  std::uint64_t seed_of(Epoch epoch) const;
  /// Samples per epoch of this rank, repeats included; equal on all ranks.
  std::int64_t shard_size() const { return shard_size_; }
  /// How many of this rank's samples are repeats; they stand at the end of its shard.
  std::int64_t padded() const { return padded_; }
  /// Draws this rank's indices in the order of reading. Valid until the next call.
  std::span<const std::uint32_t> draw(Epoch epoch) { return draw_rest(epoch, 0).indices; }

  /// What is left of an epoch of which any number of ranks have read `consumed` samples: ranks that
  /// deal out an order in turn have always read its beginning, so the rest is the order from there
  /// on, sharded over the ranks of now and padded, or cut, like a whole epoch. With the same number
  /// of ranks it is the end of draw(epoch). Empty when nothing is left.
  struct Rest {
    std::span<const std::uint32_t> indices;  ///< valid until the next call
    std::int64_t padded = 0;                 ///< repeats at the end of `indices`
  };
  Rest draw_rest(Epoch epoch, std::int64_t consumed);
  /// How many samples that gives each rank.
  std::int64_t rest_size(std::int64_t consumed) const;

 private:
  explicit ShardSampler(const ShardOptions& options);

  ShardOptions options_;
  std::int64_t shard_size_ = 0;
  std::int64_t padded_ = 0;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> shard_;
};

/// A rank's share of a pass that nothing is learned from.
struct EvaluationShard {
  std::vector<std::uint32_t> indices;
  std::int64_t repeats = 0;  ///< samples at the end of `indices` that are counted elsewhere
};

/// The shard of a rank by evaluate.mode. exact: positions rank, rank + world, ... below the size,
/// so ranks may differ by one sample and a rank may get none; padded: the same and then the first
/// samples again until all have equally many, as DistributedSampler(shuffle=False); rank0:
/// everything for rank 0.
EvaluationShard evaluation_shard(std::string_view mode, std::int64_t dataset_size, Rank rank,
                                 std::int64_t world_size);

}  // namespace ringside::core
