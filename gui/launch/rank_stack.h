// Where a rank stands right now: the call stacks of its threads. A Python rank that is instrumented
// writes its own (python_stack.h); the rest comes from whatever tool for that is installed, which
// stops the process for as long as it looks, so nobody calls this without being asked. Blocks up to
// kStackSeconds a tool; any thread.
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
  std::string text;     ///< one part per tool, as it printed it
  std::string problem;  ///< why (a part of) it is missing, and what to do; empty: all is there
};

/// "Rank 1, pid 4711, by gdb:" and what it is about, as people read it.
std::string stack_text(const RankStack& stack);

/// The command lines that print the stacks of `pid`, of the tools that `installed` finds (a path,
/// or empty): py-spy for a Python program, then eu-stack or else gdb for native frames. Pure.
std::vector<std::vector<std::string>> stack_commands(
    std::int64_t pid, bool python, const std::function<std::string(const std::string&)>& installed);

/// Reads the stack of `rank`, or of every rank (kNoRank) of a run whose processes are on this
/// machine, ascending. A bad request where there is no such process, or no tool.
Result<std::vector<RankStack>> read_stacks(const runlog::RunFolder& folder, Rank rank,
                                           const Cancelled& cancelled = {});

}  // namespace ringside::launch
