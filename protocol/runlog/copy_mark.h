// The file `copy_of` in a run folder that is a copy of one on another machine: nothing in it is
// meant for agents, locks or jobs of this one. Described in gui/remote/FORMAT.md. Reads and writes
// a file; any thread.
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
  std::string machine;    ///< as people write it: "ssh://box"
  std::set<Node> live{};  ///< nodes whose agents may still write their logs there
  bool operator==(const CopyMark&) const = default;
};

inline constexpr const char* kCopyMarkFile = "copy_of";

/// Beside copies: what the queue of their machine said last.
inline constexpr const char* kCopiedQueueFile = ".slurm_queue.json";

/// Nothing: the folder is no copy, or one that an older version made.
std::optional<CopyMark> copy_mark(const RunFolder& folder);
/// By its mark, or, where an older version made it, by the answer of that machine's queue beside
/// it.
bool is_copy(const RunFolder& folder);
/// Writes it where it is not there like this.
Result<void> mark_copy(const RunFolder& folder, const CopyMark& mark);

}  // namespace ringside::runlog
