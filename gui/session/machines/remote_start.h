// Starts runs on another machine, or plans them there, by sending the settings to its ringside.
// Waits for that machine; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/launch/start/start.h"
#include "gui/session/machines/machine_controller.h"

namespace ringside::session {

/// Plans, checks and starts these settings there; returns the copies of the started runs. `slurm`:
/// options of a Slurm job; nothing: runs on that machine itself. If a started run cannot be copied,
/// the error names it, so that it is not started twice.
Result<launch::Started> start_there(const OtherMachine& machine, const std::string& spec_toml,
                                    const std::optional<launch::Typed>& slurm);
/// Returns the command of sbatch there for these settings. Starts nothing.
Result<std::vector<std::string>> plan_job_there(const OtherMachine& machine,
                                                const std::string& spec_toml,
                                                const std::optional<launch::Typed>& slurm);

}  // namespace ringside::session
