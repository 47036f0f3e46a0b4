// SIGTERM and SIGINT as stop requests: the first asks for a checkpoint and an orderly end, a second
// for an end without a checkpoint. Process-wide; install once, from main.
#pragma once

#include <string>

namespace ringside::engine {

void install_stop_signals();

/// 0: no signal; 1: stop with a checkpoint; 2: stop now. Any thread.
int stop_signal_request();

/// "SIGTERM from pid 4711 (kill), user x" for the first signal; empty: none came. Not for signal
/// handlers.
std::string stop_signal_words();

/// Becomes and stays readable with the first signal; -1 before install_stop_signals().
int stop_signal_fd();

}  // namespace ringside::engine
