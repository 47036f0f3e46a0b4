// What a check changes about a training that otherwise runs as always: called once, when the rank
// is ready and before its first step. Training thread.
#pragma once

#include <cstdint>

#include "trainer/check/check_rank.h"

namespace ringside::check {

/// Every backward pass of this rank takes so much longer.
void delay_backward(engine::RankParts& parts, std::int64_t delay_ns);

/// Pieces of work of about 10 ms, each read from the rank's timeline, and all of them together by
/// the host's clock.
Facts read_timeline(engine::RankParts& parts);

/// Steps are recorded and replayed as on a GPU, by a graph that calls them again; crops and flips
/// are made inside of it.
void replay_on_host(engine::RankParts& parts);

}  // namespace ringside::check
