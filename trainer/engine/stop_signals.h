// SIGTERM and SIGINT as a request to stop: the first asks for a checkpoint and an orderly end, a
// second one for the end without it. Process-wide; install once, from main.
#pragma once

#include <string>

namespace ringside::engine {

void install_stop_signals();

/// 0: none came; 1: stop with a checkpoint; 2: stop now. Any thread.
int stop_signal_request();

/// "SIGTERM from pid 4711 (kill), user x", of the first; empty: none came. Not in a handler.
std::string stop_signal_words();

/// Becomes readable with the first signal, and stays so; -1 before install_stop_signals().
int stop_signal_fd();

}  // namespace ringside::engine
