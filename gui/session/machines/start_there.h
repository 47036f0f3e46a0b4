// Runs that the window starts on another machine, or would: `ringside run` there, with the settings
// on its standard input. Waits for that machine; any thread.
#pragma once

#include <string>
#include <vector>

#include "gui/launch/start.h"
#include "gui/session/machines/machine_controller.h"

namespace ringside::session {

/// Plans, checks and starts these settings there; the copies of what was started. `slurm`: words of
/// SlurmForm; none: on that machine itself. What was started and cannot be copied is named in the
/// error: nobody starts it twice.
Result<launch::Started> start_there(const OtherMachine& machine, const std::string& spec_toml,
                                    const std::vector<std::string>& slurm);
/// What sbatch there would get for these settings. Starts nothing.
Result<std::vector<std::string>> plan_job_there(const OtherMachine& machine,
                                                const std::string& spec_toml,
                                                const std::vector<std::string>& slurm);

}  // namespace ringside::session
