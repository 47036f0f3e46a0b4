// The common part of all RankHello and RankState records of a rank; callers add the rest. Pure but
// for the clock and the names of process and host.
#pragma once

#include <string>

#include "protocol/messages/rank_records.h"
#include "trainer/dist/environment.h"

namespace ringside::engine {

/// Sets process, rank, attempt, host and time.
messages::RankHello rank_hello(const dist::LaunchEnvironment& env);

/// A state with the last collective that this process entered.
messages::RankState rank_state(messages::State state, const dist::LaunchEnvironment& env,
                               const std::string& text = {});

}  // namespace ringside::engine
