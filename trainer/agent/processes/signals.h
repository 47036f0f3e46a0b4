// The signals that an agent reads in its loop: TERM, INT, HUP, QUIT, USR1, USR2. Main thread.
#pragma once

#include <csignal>

namespace ringside::agent {

sigset_t agent_signals();

/// Blocks them in this thread and in those it creates later. Call before any thread exists. Also
/// ignores SIGPIPE, so that a broken connection is an error of the call.
void block_signals();
/// From now on, these signals end the process again.
void unblock_signals();
/// Consumes all pending signals; returns the first of them, or 0.
int take_signals();

}  // namespace ringside::agent
