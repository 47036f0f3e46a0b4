// The rank that owns each sample in one pass, cell by cell, for as many cells as are seen. Pure
// functions of the shards a run has reported.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/model/shard_store.h"
#include "protocol/base/ids.h"

namespace ringside::analysis {

/// What some neighbouring samples come to.
struct OwnedCell {
  Rank owner = kNoRank;    ///< the rank that drew most of these samples; kNoRank: none was drawn
  Rank other = kNoRank;    ///< a rank that drew one of them again; kNoRank: none did
  std::int32_t owned = 0;  ///< by `owner`
  std::int32_t unvisited = 0;
  std::int32_t twice = 0;
  std::int32_t samples = 0;
};

/// `cells` cells of `per_cell` samples from sample `first` on, fewer at the end of the data set.
std::vector<OwnedCell> owned_cells(const model::ShardDetail& pass, std::int64_t first,
                                   std::int64_t per_cell, std::size_t cells);

/// Share of its samples that changed their rank; NaN where that is not known.
double migration(const model::EpochShards& pass);
/// What it is where every sample falls to any rank alike: 2/3 of 3 ranks.
double expected_migration(Rank ranks);

}  // namespace ringside::analysis
