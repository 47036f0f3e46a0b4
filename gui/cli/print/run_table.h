// Runs as a table, for `list`, `show` and `run`, as text and as JSON. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gui/runs/catalogue.h"
#include "gui/view/runs/run_summary.h"
#include "gui/view/state_view.h"
#include "gui/view/table.h"

namespace ringside::cli {

/// Returns one row per run with all columns of the JSON; the text shows a part of them.
/// `now_wall_ns` is the present time, for times such as "14:24" or "yesterday".
view::Table run_table(std::span<const runs::RunSummary> runs, std::int64_t now_wall_ns = 0);

/// Returns the same table with the given columns only, which may also be settings and logged
/// values.
view::Table printed_runs(std::span<const view::RunSummary* const> runs,
                         std::span<const std::string> keys, std::int64_t now_wall_ns);
std::vector<std::string> all_run_keys();
/// Returns the runs in the form that lists show, with their full names.
std::vector<view::RunSummary> listed(std::span<const runs::RunSummary> runs);

/// The state, with a remark for a run that finished with a loss that is NaN or Inf.
view::StateView state_of(const runs::RunSummary& run);

/// Returns the line that names the runs which a queued run waits for; empty if it waits for none or
/// they are unknown.
std::string queued_line(const runs::RunSummary& run);

}  // namespace ringside::cli
