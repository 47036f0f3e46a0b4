// A run in the terminal, drawn anew as it goes on. Main thread.
#pragma once

#include "gui/cli/commands.h"

namespace ringside::cli {

/// Stays until the run has ended or a signal comes; returns the exit code. What was drawn last
/// stays in the terminal.
Result<int> show_live(const CommonOptions& options);

}  // namespace ringside::cli
