// The table of ranks. Its metrics are those of model::kMetricInfos. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gui/view/run_context.h"
#include "gui/view/table.h"

namespace ringside::view {

struct RankTableView {
  std::string subtitle;  ///< "4 of 4 in step 4,569"
  Table table;         ///< a row per rank with the key "r3"; "All" below, unless there is one rank
  bool dense = false;  ///< from kDenseFrom ranks on: 20 px rows, percentiles below "All"
};
inline constexpr std::size_t kDenseFrom = 64;

/// The table of ranks. By default sorted by rank; from kDenseFrom ranks on by node, with the node
/// of the worst rank first. Columns without values on this machine are left out.
RankTableView build_rank_table(const model::RunModel& model, const RunContext& context,
                               const TableSort& sort = {});

/// Ranks whose processes are on this machine, so that their stacks can be read.
std::vector<Rank> ranks_with_stack(const model::RunModel& model, const RunContext& context);

/// Says over which steps the rates and times of the table are taken.
std::string recent_steps_note();

/// Every column that the table can have.
std::vector<TableColumn> rank_columns();

/// The same rows with the columns for a terminal.
Table rank_lines(const model::RunModel& model, const RunContext& context);

}  // namespace ringside::view
