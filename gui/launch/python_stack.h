// The Python stacks of a rank, written by the rank itself: its instrumentation (ringside_rank)
// appends them to a file on a signal, even while its interpreter is stuck in a collective. Attaches
// to nothing and stops nothing. Any thread; blocks up to kPythonStackSeconds.
#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>

#include "gui/launch/child.h"
#include "protocol/base/result.h"
#include "protocol/host/platform.h"

namespace ringside::launch {

inline constexpr std::int64_t kPythonStackSeconds = 3;

/// The signal that ringside_rank handles (_stack.py).
inline int python_stack_signal() { return user_signal(8); }

/// Whether the process handles the signal, which would kill it otherwise. `file`: where it writes,
/// "python_stack" in the rank's folder.
bool tells_python_stack(std::int64_t pid, const std::filesystem::path& file);

/// Asks a process for which tells_python_stack() is true. Returns the appended text, the most
/// recent call first.
Result<std::string> read_python_stack(std::int64_t pid, const std::filesystem::path& file,
                                      const Cancelled& cancelled = {});

}  // namespace ringside::launch
