// The present call stacks of a rank's threads. An instrumented Python rank writes its own
// (python_stack.h); the rest comes from installed tools, which stop the process while they read it,
// so this is called only on request. Blocks up to kStackSeconds per tool; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/launch/child.h"
#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::launch {

inline constexpr std::int64_t kStackSeconds = 20;

struct RankStack {
  Rank rank = 0;
  std::int64_t pid = 0;
  std::string tools;    ///< "faulthandler, gdb"; empty: nothing could be read
  std::string text;     ///< the output of each tool
  std::string problem;  ///< why part or all of it is missing, and what to do; empty: it is complete
};

/// The stack as people read it, headed by a line such as "Rank 1, pid 4711, by gdb:".
std::string stack_text(const RankStack& stack);

/// Command lines that print the stacks of `pid` with the tools that `installed` finds (it returns a
/// path, or empty): py-spy for a Python program, then eu-stack or else gdb for native frames. Pure.
std::vector<std::vector<std::string>> stack_commands(
    std::int64_t pid, bool python, const std::function<std::string(const std::string&)>& installed);

/// Reads the stack of `rank`, or of all ranks (kNoRank), of a run whose processes are on this
/// machine, ascending. Returns a bad request if there is no such process, or no tool.
Result<std::vector<RankStack>> read_stacks(const runlog::RunFolder& folder, Rank rank,
                                           const Cancelled& cancelled = {});

}  // namespace ringside::launch
