// What a run has recorded of its steps, as a timeline; no profiler is needed. Pure.
#pragma once

#include "gui/analysis/range.h"
#include "gui/model/timeline/timeline.h"

namespace ringside::session {

/// The newest steps of a run that its timeline shows: fewer of many ranks.
analysis::StepRange timeline_steps(const model::RunModel& model);

/// As tell_steps() has them, times from the begin of the run's first step: they stay while it goes
/// on.
model::Timeline step_timeline(const model::RunModel& model, analysis::StepRange steps);

}  // namespace ringside::session
