// Runs as a table, for `list`, `show` and `run`, as text and as JSON. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gui/runs/catalogue.h"
#include "gui/view/state_view.h"
#include "gui/view/table.h"
#include "protocol/base/result.h"

namespace ringside::cli {

/// One row per run with all columns of the JSON; text shows some of them. `now_wall_ns`: the
/// present, for times such as "14:24" or "yesterday".
view::Table run_table(std::span<const runs::RunSummary> runs, std::int64_t now_wall_ns = 0);

/// The key of the column that a person means by its key, its header, or the key of a setting or its
/// last part ("optimizer.lr", "lr"), for which a column is added. The rows are those of `runs`, in
/// their order. A bad request names the nearest.
Result<std::string> run_column(view::Table& table, std::span<const runs::RunSummary> runs,
                               const std::string& name);

/// The state, with a remark for a run that finished with a loss that is NaN or Inf.
view::StateView state_of(const runs::RunSummary& run);

/// The line that names the runs which a queued run waits for; empty if it waits for none or they
/// are unknown.
std::string queued_line(const runs::RunSummary& run);

}  // namespace ringside::cli
