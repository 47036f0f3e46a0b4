// A local agent that is alive but silent because it is stopped. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

/// Process id of the run's agent if it is stopped (SIGSTOP); 0 if it is not, or cannot be seen
/// here.
std::int32_t stopped_agent(const runlog::RunFolder& folder);

/// Why the agent of a run that has not ended is silent, and how to let it continue.
std::string why_unheard(std::int32_t stopped_agent);

}  // namespace ringside::runs
