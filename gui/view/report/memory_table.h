// Memory of devices that each rank uses, as a table for terminal, report and JSON. Pure.
#pragma once

#include "gui/model/run_model_fwd.h"
#include "gui/view/table.h"

namespace ringside::view {

/// A row per rank that reported its memory, in bytes; without columns in which no rank has a value.
Table memory_table(const model::RunModel& model);

}  // namespace ringside::view
