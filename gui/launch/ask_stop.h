// Asks the agent of a run to end it. Any thread; blocks until the agent has answered, some seconds
// at most.
#pragma once

#include <string>

#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/follow_client.h"

namespace ringside::launch {

/// The agent's answer; fails where there is none to ask (any more).
Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode);

}  // namespace ringside::launch
