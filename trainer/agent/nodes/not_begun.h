// File that an agent leaves in the run folder when it ends before its part of the run began, with
// the reason. The other nodes then need not wait for it, even if their agents start later. Small
// files, each written by one node; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::agent {

/// `text` is the encoded Cannot message or, on node 0, Close (node_words.h). Does nothing if the
/// file cannot be written.
void leave_not_begun(const runlog::RunFolder& folder, Node node, const std::string& text);

/// Removes the file of an earlier agent of this node.
void clear_not_begun(const runlog::RunFolder& folder, Node node);

/// The file of `node`, for the agent of `reader`, which has announced itself in the folder and has
/// waited for this long. A file from before its start is not trusted at once, since that node may
/// be about to start again, and never if it is more than a minute older. Times are compared by the
/// clock of the shared file system.
std::optional<std::string> read_not_begun(const runlog::RunFolder& folder, Node node, Node reader,
                                          std::int64_t looked_ns);

}  // namespace ringside::agent
