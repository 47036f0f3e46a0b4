// Reports an agent that ends before it could begin, since the other nodes would wait for it. Blocks
// for some seconds at most; called at the end of main.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/agent/nodes/which_node.h"

namespace ringside::agent {

inline constexpr std::int64_t kTellNs = 3'000'000'000;

/// Leaves in all runs of this node the reason why it cannot begin (not_begun.h). On nodes other
/// than 0 it also notifies node 0, if its agent is running, and waits at most `most_ns` for it.
/// Skips a run in which another agent runs this node. `locked`: the caller passed on the locks of
/// the folders, so there is no other agent.
void notify_other_nodes(const NodePlace& place, const std::string& why, bool locked = false,
                        std::int64_t most_ns = kTellNs);

}  // namespace ringside::agent
