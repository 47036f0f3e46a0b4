// SIGTERM and SIGINT as a request to stop: the first asks for a checkpoint and an orderly end, a
// second one for the end without it. Process-wide; install once, from main.
#pragma once

namespace ringside::engine {

/// Until set_training(true) there is nothing to save, and a request ends the process at once with
/// exit code 0.
void install_stop_signals();
void set_training(bool training);

/// 0: none came; 1: stop with a checkpoint; 2: stop now. Any thread.
int stop_signal_wish();

}  // namespace ringside::engine
