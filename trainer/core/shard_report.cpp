#include "trainer/core/shard_report.h"

#include <algorithm>

namespace ringside::core {

std::vector<messages::ShardReport> shard_reports(const ShardSampler& sampler, Epoch epoch,
                                                 const ShardSampler::Rest& shard) {
  const std::span<const std::uint32_t> indices = shard.indices;
  const auto size = static_cast<std::int64_t>(indices.size());
  const std::int64_t stride =
      std::max<std::int64_t>(1, (size + kCompleteShard - 1) / kCompleteShard);
  const auto piece_span = static_cast<std::int64_t>(messages::ShardReport::kMaxIndices) * stride;

  std::vector<messages::ShardReport> pieces;
  for (std::int64_t offset = 0; offset < size; offset += piece_span) {
    messages::ShardReport piece;
    piece.epoch = epoch;
    piece.sampler_seed = sampler.seed_of(epoch);
    piece.dataset_size = sampler.options().dataset_size;
    piece.shard_size = size;
    piece.padded = shard.padded;
    piece.offset = offset;
    piece.stride = static_cast<std::int32_t>(stride);
    const std::int64_t end = std::min(size, offset + piece_span);
    piece.indices.reserve(static_cast<std::size_t>((end - offset + stride - 1) / stride));
    for (std::int64_t at = offset; at < end; at += stride) {
      piece.indices.push_back(indices[static_cast<std::size_t>(at)]);
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace ringside::core
