// The collectives of ranks in their process groups, as a table for window, terminal, report and
// JSON. Pure.
#pragma once

#include <string>

#include "gui/analysis/groups/groups.h"
#include "gui/analysis/groups/hangs.h"
#include "gui/model/groups/group_store.h"
#include "gui/view/table.h"

namespace ringside::view {

/// "dp_shard", "all ranks": the group's mesh dimension, or else its name.
std::string group_name(const model::RunModel& model, const model::ProcessGroup& group);

/// "data-parallel 2 × model-parallel 4": sizes; empty if each rank trains on samples of its own.
std::string parallel_sizes_text(const model::RunModel& model);

/// A row per group and operation; its notes name the ranks for which others wait. No rows if no
/// rank has reported a group.
Table group_table(const model::RunModel& model);

/// "Rank 2 entered all-gather 41 of dp_shard where the others entered reduce-scatter 41." Unless
/// more than half of the group entered the same operation, no rank is called wrong.
std::string mismatch_text(const model::RunModel& model, const analysis::Mismatch& mismatch);

/// "all-gather 41 of dp_shard (ranks 0 and 1)": the collective that a rank has not entered.
std::string missed_text(const model::RunModel& model, const analysis::Hang& hang);

/// The sentence that names the rank for which the others wait; empty if there is none.
std::string group_blame_text(const model::RunModel& model);

}  // namespace ringside::view
