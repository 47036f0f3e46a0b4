// Names of things that are counted: ranks, nodes, steps, epochs; and the text id of a run.
#pragma once

#include <cstdint>
#include <string>

namespace ringside {

using Rank = std::int32_t;   ///< global rank, 0 .. world size - 1
using Node = std::int32_t;   ///< host of a run, 0 .. nodes - 1
using Step = std::int64_t;   ///< optimizer steps since the start of the run, from 0
using Epoch = std::int32_t;  ///< from 0; people are shown epoch + 1
using RunId = std::string;   ///< name of the run folder: sortable UTC time, '-', random

/// The rank of a record that speaks for the whole node or run, not for one rank.
inline constexpr Rank kNoRank = -1;

}  // namespace ringside
