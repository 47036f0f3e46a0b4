// The last words of an agent that ended before it could begin: the other nodes would wait for its
// own. Blocks for some seconds at most; for the end of main.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/agent/nodes/which_node.h"

namespace ringside::agent {

inline constexpr std::int64_t kTellNs = 3'000'000'000;

/// Leaves in all runs of this node that it cannot begin, and why (not_begun.h); on other nodes than
/// 0 also tells node 0 where its agent is there, for which it is waited `most_ns`. Says nothing of
/// a run in which another agent stands for this node. `locked`: whoever started this process has
/// left it the locks of the folders, so that there is none.
void tell_other_nodes(const NodePlace& place, const std::string& why, bool locked = false,
                      std::int64_t most_ns = kTellNs);

}  // namespace ringside::agent
