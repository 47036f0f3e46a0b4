// Whether a run can go on, and its next attempt, for the window and the command line. Reads files
// and starts agents; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/launch/start.h"
#include "gui/place/places.h"
#include "gui/runs/catalogue.h"
#include "protocol/base/result.h"

namespace ringside::session {

/// A bad request that says why it cannot: it cannot be read, has not ended, has finished, has no
/// checkpoint, or what it needs is not there (any more). `run`: as the catalogue reads it now.
Result<void> resumable(const runs::RunSummary& run);

/// The settings that a run goes on with when a person changes some, devices settled anew where
/// their number or kind is another. A bad request for settings other than devices.* and limits.*:
/// those say what the run is.
Result<messages::RunSpec> resumed_spec(const messages::RunSpec& spec,
                                       const std::vector<std::string>& assignments,
                                       const launch::Machine& machine);

/// Starts a new attempt where the run ran before, or in the tasks of srun, after checking again
/// that it can be resumed, with other settings where `spec` has some. Blocks until its agent has
/// started or the job is queued.
Result<launch::Started> resume_run(const runs::RunSummary& run,
                                   const std::optional<messages::RunSpec>& spec = {},
                                   const launch::Cancelled& cancelled = {},
                                   const place::Place& where = *place::here());

}  // namespace ringside::session
