// What a rank drew in an epoch, cut into records small enough for one message. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/messages/epoch_records.h"
#include "trainer/core/shard_sampler.h"

namespace ringside::core {

/// Shards up to this many samples are reported whole.
inline constexpr std::int64_t kCompleteShard = std::int64_t{1} << 20;

/// `shard` as sampler.draw_rest() gave it, whole or the rest of an epoch. Pieces of at most
/// ShardReport::kMaxIndices; beyond kCompleteShard samples only every `stride`-th is kept, so that
/// at most kCompleteShard are sent.
std::vector<messages::ShardReport> shard_reports(const ShardSampler& sampler, Epoch epoch,
                                                 const ShardSampler::Rest& shard);

}  // namespace ringside::core
