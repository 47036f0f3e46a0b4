// The common part of every RankHello and RankState of a rank; the callers add the rest. Pure but
// for the clock and this process's and host's names.
#pragma once

#include <string>

#include "protocol/messages/rank_records.h"
#include "trainer/dist/environment.h"

namespace ringside::engine {

/// Process, place among the ranks, attempt, host and time.
messages::RankHello rank_hello(const dist::LaunchEnvironment& env);

/// A state with the collective that this process entered last.
messages::RankState rank_state(messages::State state, const dist::LaunchEnvironment& env,
                               const std::string& text = {});

}  // namespace ringside::engine
