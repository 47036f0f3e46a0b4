// What is done to a run folder on behalf of the person: asking its agent to stop, showing
// it. May take seconds and is called from jobs, except for the last.
#pragma once

#include <string>

#include "gui/launch/start_experiment.h"
#include "gui/runs/catalogue.h"
#include "protocol/base/result.h"

namespace ringside::session {

/// A new attempt of a run, if it can go on as of now.
Result<launch::Experiment> start_resumable(const runs::RunSummary& run);

/// Asks the desktop to show a folder; returns at once. Fails with the path where nothing can.
Result<void> show_in_file_manager(const std::string& folder);

}  // namespace ringside::session
