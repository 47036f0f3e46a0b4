// What differs between ranks: the operations of a timeline by how much longer they take one rank
// than the others. `ringside profile`, `ringside timeline` and the window show this one table.
// Pure; walks over all events.
#pragma once

#include <cstddef>

#include "gui/model/timeline/timeline.h"
#include "gui/view/table.h"

namespace ringside::view {

/// Mean of the steps in ms, or the sum where no steps are known; first the largest difference,
/// `most` rows. Time of a kernel is its own, of an operator without those that it called. Without
/// operators and kernels the parts of the steps, without these all events, by the same rule.
Table operations_table(const model::Timeline& timeline, std::size_t most);

}  // namespace ringside::view
