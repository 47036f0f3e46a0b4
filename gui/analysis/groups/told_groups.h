// The process groups of a run, by whichever records its ranks told of them: those of each
// collective, or where there are none the gradient buckets of DDP, which all ranks reduce together.
#pragma once

#include "gui/model/groups/group_store.h"
#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

/// The groups and rounds that tables and lanes speak of. Rounds made of buckets are those of
/// recent_steps(). It stands until the next record.
const model::GroupStore& told_groups(const model::RunModel& model);

}  // namespace ringside::analysis
