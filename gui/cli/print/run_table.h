// Runs as a table: what `list`, `show` and `run` print of each, as text and as JSON. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gui/runs/catalogue.h"
#include "gui/view/state_view.h"
#include "gui/view/table.h"
#include "protocol/base/result.h"

namespace ringside::cli {

/// A row for each run, with all columns that JSON has; text is printed of some of them.
/// `now_wall_ns`: when it is looked at, for "14:24" or "yesterday".
view::Table run_table(std::span<const runs::RunSummary> runs, std::int64_t now_wall_ns = 0);

/// The key of the column that a person calls so, by its key, its head, or the key of a setting or
/// its last part ("optimizer.lr", "lr"), which gets a column then. The rows are those of `runs`, in
/// their order. A bad request names what comes nearest.
Result<std::string> run_column(view::Table& table, std::span<const runs::RunSummary> runs,
                               const std::string& name);

/// The state, and for a run that finished with a loss that is not a number, that too.
view::StateView state_of(const runs::RunSummary& run);

/// The line that names the runs which a queued run waits for; empty if it waits for none or they
/// are not known.
std::string queued_line(const runs::RunSummary& run);

}  // namespace ringside::cli
