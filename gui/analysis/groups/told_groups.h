// The process groups of a run: those of the recorded collectives or, without any, one group of all
// ranks from the gradient buckets of DDP.
#pragma once

#include "gui/model/groups/group_store.h"
#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

/// The groups and rounds that tables and lanes speak of. Rounds made of buckets are those of
/// recent_steps(). It stands until the next record.
const model::GroupStore& told_groups(const model::RunModel& model);

}  // namespace ringside::analysis
