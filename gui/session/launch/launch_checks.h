// What Launch says of the run to come before it is started: its preflight, how its devices reach
// each other, and which earlier runs can be its baseline. Reads files; any thread.
#pragma once

#include <vector>

#include "gui/session/launch/wanted_run.h"
#include "gui/session/machines/machine_controller.h"
#include "gui/view/launch/launch_probe.h"

namespace ringside::session {

/// Looks at a run on this machine. `finished`: runs with one rank, newest first, as shown; `form`: the
/// devices that a person chose.
Preflight check_here(const WantedRun& run, const std::vector<launch::ProgramAnswer>& programs,
                     const std::vector<view::BaselineChoice>& finished,
                     const view::LaunchForm& form, const view::ProbeFacts& probe);

/// Asks another machine, which knows its presets, files and earlier runs, what sbatch would get
/// there; a run on itself it checks when it starts.
Preflight check_there(const OtherMachine& machine, const WantedRun& run);

}  // namespace ringside::session
