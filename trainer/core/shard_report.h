// The samples that a rank drew in an epoch, split into records small enough for a message. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/messages/epoch_records.h"
#include "trainer/core/shard_sampler.h"

namespace ringside::core {

/// Shards up to this many samples are reported whole.
inline constexpr std::int64_t kCompleteShard = std::int64_t{1} << 20;

/// `shard` is the result of sampler.draw_rest(): a whole epoch or the rest of one. Records have at
/// most ShardReport::kMaxIndices indices; beyond kCompleteShard samples only every `stride`-th is
/// reported, so that at most kCompleteShard are sent.
std::vector<messages::ShardReport> shard_reports(const ShardSampler& sampler, Epoch epoch,
                                                 const ShardSampler::Rest& shard);

}  // namespace ringside::core
