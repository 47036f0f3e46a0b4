// The signals that an agent reads in its loop instead of being ended by them: TERM, INT, HUP, QUIT,
// USR1, USR2. Main thread.
#pragma once

#include <csignal>

namespace ringside::agent {

sigset_t agent_signals();

/// Blocks them, in this thread and all it will start. Call before any thread exists. A connection
/// that breaks is an error of its call, not a signal.
void block_signals();
/// What comes after the agent ends with the next of them.
void unblock_signals();
/// Takes those that have come and were not read; the first of them, 0: none.
int take_signals();

}  // namespace ringside::agent
