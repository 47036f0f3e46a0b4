// Runs that the window starts on another machine, or would: its ringside gets the settings. Waits
// for that machine; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/launch/start.h"
#include "gui/session/machines/machine_controller.h"

namespace ringside::session {

/// Plans, checks and starts these settings there; the copies of what was started. `slurm`: what is
/// asked of it; nothing: on that machine itself. What was started and cannot be copied is named in
/// the error: nobody starts it twice.
Result<launch::Started> start_there(const OtherMachine& machine, const std::string& spec_toml,
                                    const std::optional<launch::Typed>& slurm);
/// What sbatch there would get for these settings. Starts nothing.
Result<std::vector<std::string>> plan_job_there(const OtherMachine& machine,
                                                const std::string& spec_toml,
                                                const std::optional<launch::Typed>& slurm);

}  // namespace ringside::session
