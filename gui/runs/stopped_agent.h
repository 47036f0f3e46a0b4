// An agent of this machine that lives and says nothing, because it is stopped. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/runlog/run_folder.h"

namespace ringside::runs {

/// The process id of the run's agent where that is stopped (SIGSTOP); 0 where it is not, or is not
/// seen here.
std::int32_t stopped_agent(const runlog::RunFolder& folder);

/// Why nothing comes from the agent of a run that has not ended, and what lets it go on.
std::string why_unheard(std::int32_t stopped_agent);

}  // namespace ringside::runs
