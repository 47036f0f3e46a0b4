// The process groups of a run: those of the recorded collectives or, if there are none, one group
// of all ranks made from DDP's gradient buckets.
#pragma once

#include "gui/model/groups/group_store.h"
#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

/// The groups and rounds for tables and lanes. Rounds made from buckets cover recent_steps(). The
/// reference is valid until the next record.
const model::GroupStore& reported_groups(const model::RunModel& model);

}  // namespace ringside::analysis
