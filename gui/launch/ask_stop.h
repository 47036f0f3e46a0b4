// Asks the agent of a run to end it. Any thread; blocks until the agent has answered, some seconds
// at most.
#pragma once

#include <string>

#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/follow_client.h"

namespace ringside::launch {

/// An agent that was just started cannot be asked yet: returns when it can, when it is gone, when
/// it is at work without its agent.json, and at the latest after the time in which it must come up.
void wait_until_askable(const runlog::RunFolder& folder);

/// The agent's answer; fails where there is none to ask (any more).
Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode);

}  // namespace ringside::launch
