// Builds a timeline of a run's recorded steps; no profiler is needed. Pure.
#pragma once

#include "gui/analysis/range.h"
#include "gui/model/timeline/timeline.h"

namespace ringside::session {

/// Returns the newest steps that the timeline shows: the more ranks, the fewer steps.
analysis::StepRange timeline_steps(const model::RunModel& model);

/// Events are those of tell_steps(). Times count from the start of the run's first step, so they do
/// not change while the run continues.
model::Timeline step_timeline(const model::RunModel& model, analysis::StepRange steps);

}  // namespace ringside::session
