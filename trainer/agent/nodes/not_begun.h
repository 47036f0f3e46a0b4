// What an agent leaves in the run folder that ends before its part of the run began: why. The other
// nodes need not wait for it then, also those whose agents come only later. Small files, written by
// one node each; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::agent {

/// `text`: what node_words.h makes of Cannot, on node 0 of Close. Where nothing can be
/// written nothing is left.
void leave_not_begun(const runlog::RunFolder& folder, Node node, const std::string& text);

/// An agent of this node begins: what an earlier one left does not hold any more.
void clear_not_begun(const runlog::RunFolder& folder, Node node);

/// What `node` has left, for the agent of `reader`, which has announced itself in the folder and
/// has looked for so long. Words from before it came are not believed at once, since that node may
/// be about to begin again, and never when they are more than a minute older. Times are compared by
/// the clock of the file system, which the nodes share.
std::optional<std::string> read_not_begun(const runlog::RunFolder& folder, Node node, Node reader,
                                          std::int64_t looked_ns);

}  // namespace ringside::agent
