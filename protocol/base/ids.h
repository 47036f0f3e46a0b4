// Id types of ranks, nodes, steps, epochs and runs.
#pragma once

#include <cstdint>
#include <string>

namespace ringside {

using Rank = std::int32_t;   ///< global rank, 0 .. world size - 1
using Node = std::int32_t;   ///< index of a node of the run, 0 .. nodes - 1
using Step = std::int64_t;   ///< optimizer steps since the start of the run, from 0
using Epoch = std::int32_t;  ///< from 0; people are shown epoch + 1
using RunId = std::string;   ///< name of the run folder: sortable UTC time, '-', random

/// Rank field of a record about a whole node or run.
inline constexpr Rank kNoRank = -1;

}  // namespace ringside
