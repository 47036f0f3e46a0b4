// The owners of samples in one pass, cell by cell, for the visible cells. Pure functions of the
// reported shards.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/model/shard_store.h"
#include "protocol/base/ids.h"

namespace ringside::analysis {

/// Owners of neighbouring samples, summarised.
struct OwnedCell {
  Rank owner = kNoRank;    ///< rank that drew most of these samples; kNoRank: none was drawn
  Rank other = kNoRank;    ///< a rank that drew one of them again; kNoRank: none did
  std::int32_t owned = 0;  ///< number owned by `owner`
  std::int32_t unvisited = 0;
  std::int32_t twice = 0;
  std::int32_t samples = 0;
};

/// Cells of `per_cell` samples each, from sample `first` on; fewer at the end of the data set.
std::vector<OwnedCell> owned_cells(const model::ShardDetail& pass, std::int64_t first,
                                   std::int64_t per_cell, std::size_t cells);

/// Share of the samples that changed their rank; NaN if unknown.
double migration(const model::EpochShards& pass);
/// Expected value if samples are distributed randomly: 2/3 for 3 ranks.
double expected_migration(Rank ranks);

}  // namespace ringside::analysis
