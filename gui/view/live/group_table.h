// What ranks did together in their process groups, as a table for window, terminal, report and
// JSON. Pure.
#pragma once

#include <string>

#include "gui/analysis/groups/groups.h"
#include "gui/analysis/groups/hangs.h"
#include "gui/model/groups/group_store.h"
#include "gui/view/table.h"

namespace ringside::view {

/// "dp_shard", "all ranks": its dimension, else what it is called.
std::string group_name(const model::RunModel& model, const model::ProcessGroup& group);

/// "data-parallel 2 × model-parallel 4", sizes; empty where each rank trains samples of its own.
std::string parallel_sizes_text(const model::RunModel& model);

/// One row per group and operation; its notes say who holds the others up. No rows: no rank told of
/// a group.
Table group_table(const model::RunModel& model);

/// "Rank 2 entered all-gather 41 of dp_shard where the others entered reduce-scatter 41." Where no
/// operation is that of more than half of the group, nobody is blamed.
std::string mismatch_text(const model::RunModel& model, const analysis::Mismatch& mismatch);

/// "all-gather 41 of dp_shard (ranks 0 and 1)", what a rank has not entered.
std::string missed_text(const model::RunModel& model, const analysis::Hang& hang);

/// The sentence that names the rank that holds the others up; empty if none does.
std::string group_blame_text(const model::RunModel& model);

}  // namespace ringside::view
