// Checks whether a run can be resumed and starts its next attempt, for the window and the command
// line. Reads files and starts agents; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/launch/start/start.h"
#include "gui/place/places.h"
#include "gui/runs/catalogue.h"
#include "protocol/base/result.h"

namespace ringside::session {

/// A bad request says why the run cannot be resumed: it cannot be read, has not ended, has
/// finished, has no checkpoint, or a file it needs is missing. `run`: its current summary in the
/// catalogue.
Result<void> resumable(const runs::RunSummary& run);

/// The settings of the next attempt after a person's changes; devices are resolved again if their
/// number or kind changes. A bad request for settings other than devices.* and limits.*, which
/// define what the run is.
Result<messages::RunSpec> resumed_spec(const messages::RunSpec& spec,
                                       const std::vector<std::string>& assignments,
                                       const launch::Machine& machine);

/// Checks again that the run can be resumed and starts a new attempt where it ran before, or in the
/// tasks of srun; `spec`: changed settings, if any. Blocks until its agent has started or the job
/// is queued.
Result<launch::Started> resume_run(const runs::RunSummary& run,
                                   const std::optional<messages::RunSpec>& spec = {},
                                   const launch::Cancelled& cancelled = {},
                                   const place::Place& where = *place::here());

}  // namespace ringside::session
