// An srun task other than the first of its node: it connects to the node's agent, reports its
// resources, and starts the rank on each order of the agent. It makes no decisions. The rank does
// not outlive it, nor does it outlive the agent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "protocol/base/result.h"
#include "trainer/agent/processes/spawn_plan.h"

namespace ringside::agent {

/// Runs until the agent orders it to leave, and returns the exit code from the agent. `file` names
/// the agent's socket; it is waited for at most two minutes. Fails if no agent came, if the agent
/// refused this task, or if it is gone, and its ranks with it: then this process must end at once,
/// see above. `place` returns this task's resources, own_place(); it is called after the reaper has
/// started, which must not inherit a thread. Call this function first thing, with the agent's
/// signals blocked.
Result<int> serve_rank(const std::filesystem::path& file, std::int32_t local_rank,
                       const std::function<TaskPlace()>& place);

}  // namespace ringside::agent
