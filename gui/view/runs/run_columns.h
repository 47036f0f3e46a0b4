// The columns by which runs can be listed, sorted, grouped and filtered: columns of every run,
// settings, and last values of anything that a program logged. The list in the window and `ringside
// list` both use them. Pure.
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

/// Returns the fault that the run's settings ask for, in words; empty: none.
std::string injected_in(const RunSummary& run);

/// Returns the tags that a person wrote on a run, then the one that marks the baseline of another
/// run, then why it failed.
std::vector<std::string> tags_of(const RunSummary& run);

/// Returns the columns that every run has, in order. Columns that are not `shown` can be chosen by
/// a person, those without a label are for scripts, those that are not `in_text` are drawn by a
/// page.
const std::vector<TableColumn>& run_columns();

/// Returns the keys of the settings that a name may mean: that key, or all whose last part it is
/// ("lr" for "optimizer.lr").
std::vector<std::string> settings_called(std::string_view name);

/// Returns the key of the column with this name: a key, head or former name; a setting's key or its
/// last part ("optimizer.lr", "lr"); or the name of a value that one of the runs logged. A bad
/// request names the most similar column.
Result<std::string> run_column_key(std::span<const RunSummary> runs, const std::string& name);

/// Returns the column of such a key.
TableColumn run_column(const std::string& key);

/// Returns the run's cell in this column; `now_wall_ns` is the present time, for "14:24" or
/// "yesterday".
Cell run_cell(const RunSummary& run, const std::string& key, std::int64_t now_wall_ns);

/// Returns a table with a row per run, whose key is the run's id.
Table run_table(std::span<const RunSummary* const> runs, std::span<const std::string> keys,
                std::int64_t now_wall_ns);

/// A column that a person can choose.
struct ColumnOffer {
  std::string key;
  std::string label;
  std::string section;  ///< heading of its group: "Run", "Settings", "Logged"
};
/// Returns all columns that have a value in at least one of the runs.
std::vector<ColumnOffer> column_offers(std::span<const RunSummary> runs);

}  // namespace ringside::view
