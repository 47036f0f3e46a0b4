// Memory of devices that each rank holds, as a table for terminal, report and JSON. Pure.
#pragma once

#include "gui/model/run_model_fwd.h"
#include "gui/view/table.h"

namespace ringside::view {

/// A row per rank that told of its memory, in bytes; without the columns that nobody knows.
Table memory_table(const model::RunModel& model);

}  // namespace ringside::view
