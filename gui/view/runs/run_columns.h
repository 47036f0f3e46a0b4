// What runs can be listed, sorted, grouped and filtered by: columns that every run has, any
// setting, and the last value of anything that a program logged. The list of the window and
// `ringside list` are both made of them. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/view/runs/run_summary.h"
#include "gui/view/table.h"
#include "protocol/base/result.h"

namespace ringside::view {

/// The tags of a run, and whether it is the baseline of another.
std::vector<std::string> tags_of(const RunSummary& run);

/// The columns of every run, in order. Those that are not `shown` are chosen by a person; those
/// without a label are for scripts; those that are not `in_text` a page draws.
const std::vector<TableColumn>& run_columns();

/// The key of the column that a person calls so: by key, head, or an earlier name of one; by the
/// key of a setting or its last part ("optimizer.lr", "lr"); by the name of a value that one of the
/// runs logged. A bad request names what comes nearest.
Result<std::string> run_column_key(std::span<const RunSummary> runs, const std::string& name);

/// A column by such a key.
TableColumn run_column(const std::string& key);

/// Cell of the run in the column of that key; `now_wall_ns`: when it is looked at, for "14:24" or
/// "yesterday".
Cell run_cell(const RunSummary& run, const std::string& key, std::int64_t now_wall_ns);

/// A row for each run, called by its id.
Table run_table(std::span<const RunSummary* const> runs, std::span<const std::string> keys,
                std::int64_t now_wall_ns);

/// A column that can be chosen.
struct ColumnOffer {
  std::string key;
  std::string label;
  std::string section;  ///< heading over it: "Run", "Settings", "Logged"
};
/// All that have a value in one of the runs.
std::vector<ColumnOffer> column_offers(std::span<const RunSummary> runs);

}  // namespace ringside::view
