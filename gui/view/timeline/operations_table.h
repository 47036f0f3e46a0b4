// Compares ranks by the operations of a timeline: how much longer each takes on one rank than on
// the others. `ringside profile`, `ringside timeline` and the window show this table. Pure; scans
// all events.
#pragma once

#include <cstddef>

#include "gui/model/timeline/timeline.h"
#include "gui/view/table.h"

namespace ringside::view {

/// Returns the mean per step in ms, or the sum if no steps are known; the largest difference first,
/// at most `most` rows. A kernel's time is its own; an operator's time excludes the operators that
/// it called. If there are no operators and kernels, the parts of steps are compared; if there are
/// none of these either, all events.
Table operations_table(const model::Timeline& timeline, std::size_t most);

}  // namespace ringside::view
