// Shows an active run in the terminal. Main thread.
#pragma once

#include "gui/cli/commands.h"

namespace ringside::cli {

/// Follows the run until it has ended or a signal comes; returns the exit code. The last output
/// stays in the terminal.
Result<int> show_live(const CommonOptions& options);

}  // namespace ringside::cli
