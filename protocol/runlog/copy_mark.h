// The file `copy_of` marks a run folder as a copy from another machine, which agents, locks and
// jobs of this machine do not use. gui/remote/FORMAT.md describes it. Reads and writes a file; any
// thread.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::runlog {

struct CopyMark {
  std::string machine;    ///< as users write it: "ssh://box"
  std::set<Node> live{};  ///< nodes whose agents may still write their logs there
  bool operator==(const CopyMark&) const = default;
};

inline constexpr const char* kCopyMarkFile = "copy_of";

/// File in the folder of the copies: the last reply of their machine's Slurm queue.
inline constexpr const char* kCopiedQueueFile = ".slurm_queue.json";

/// Empty when the folder is not a copy, or is one that an older version made.
std::optional<CopyMark> copy_mark(const RunFolder& folder);
/// True if the folder has the mark or, for copies by an older version, if the queue file of that
/// machine is beside it.
bool is_copy(const RunFolder& folder);
/// Writes the mark unless it is already the same.
Result<void> mark_copy(const RunFolder& folder, const CopyMark& mark);

}  // namespace ringside::runlog
