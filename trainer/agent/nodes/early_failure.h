// The last words of an agent that ended before it could begin: node 0 would wait for its node.
// Blocks; for the end of main.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/agent/nodes/which_node.h"

namespace ringside::agent {

inline constexpr std::int64_t kTellNs = 60'000'000'000;

/// Says of all runs of this node that it cannot begin, and why, until node 0 has heard it; its
/// agent may come a little later than this one. Gives up after `most_ns`. Says nothing on node 0,
/// and nothing of a run in which another agent stands for this node.
void tell_node_0(const NodePlace& place, const std::string& why, std::int64_t most_ns = kTellNs);

}  // namespace ringside::agent
