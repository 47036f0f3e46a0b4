// Changes that a check makes to an otherwise normal training: called once, when the rank is
// prepared, before its first step. Training thread.
#pragma once

#include <cstdint>

#include "trainer/check/check_rank.h"

namespace ringside::check {

/// Makes every backward pass of this rank longer by `delay_ns`.
void delay_backward(engine::RankParts& parts, std::int64_t delay_ns);

/// Measures pieces of work of about 10 ms with the rank's timeline, and all of them together with
/// the host's clock.
Facts read_timeline(engine::RankParts& parts);

/// Records and replays steps as on a GPU, with a graph that calls them again, including crops and
/// flips.
void replay_on_host(engine::RankParts& parts);

}  // namespace ringside::check
