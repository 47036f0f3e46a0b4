// Finds the records that describe the run as a whole. Pure.
#pragma once

#include "protocol/messages/rank_records.h"
#include "protocol/messages/record_types.h"

namespace ringside::messages {

/// On several nodes each agent reports the state of its own node; the state of the run is that of
/// node 0. `state` may be null.
inline bool is_of_run(const Stamp& stamp, const RankState* state) {
  return state != nullptr && stamp.rank == kNoRank && stamp.node == 0 && state->about == kNoRank;
}

}  // namespace ringside::messages
