// What a task of srun does that is not the first of its node: it connects to the agent there, says
// what it has been given, and starts the rank in it as often as it is told to. Decides nothing; the
// rank does not outlive it, nor it the agent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "protocol/base/result.h"
#include "trainer/agent/processes/spawn_plan.h"

namespace ringside::agent {

/// Stays until the agent tells it to leave; the exit code it is told. `file`: where the agent
/// leaves its name, waited for two minutes at most. A failure: no agent came, it refused this task,
/// or it has gone, and its ranks with it: then this process ends at once, see above. `place`: what
/// this task has, own_place(); called once the reaper lives, which may inherit no thread. Call
/// first thing, with the signals of an agent blocked.
Result<int> serve_rank(const std::filesystem::path& file, std::int32_t local_rank,
                       const std::function<TaskPlace()>& place);

}  // namespace ringside::agent
