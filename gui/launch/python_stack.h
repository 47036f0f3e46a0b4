// The Python stacks of a rank by its own hand: instrumentation that it runs (ringside_rank) appends
// them to a file when it is asked by a signal, also while its interpreter is stuck in a collective.
// Nothing is attached and nothing is stopped. Any thread; blocks up to kPythonStackSeconds.
#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>

#include "gui/launch/child.h"
#include "protocol/base/result.h"

namespace ringside::launch {

inline constexpr std::int64_t kPythonStackSeconds = 3;

/// What ringside_rank listens to (_stack.py).
inline int python_stack_signal() { return SIGRTMIN + 8; }

/// Whether the process listens: to one that does not, the signal would be the end. `file`: where it
/// writes, "python_stack" in the folder of the rank.
bool tells_python_stack(std::int64_t pid, const std::filesystem::path& file);

/// Asks a process that tells_python_stack() and gives what it appends, the call that goes on first.
Result<std::string> read_python_stack(std::int64_t pid, const std::filesystem::path& file,
                                      const Cancelled& cancelled = {});

}  // namespace ringside::launch
