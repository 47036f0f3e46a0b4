// Sorting the rows of the table of ranks by what their cells say. Internal to gui/view. Pure.
#pragma once

#include <vector>

#include "gui/view/live/rank_table.h"

namespace ringside::view {

/// What is not known comes last, whatever the direction; equals stay in the order of ranks.
void sort_ranks(const RankSort& sort, std::vector<RankRow>& rows);

}  // namespace ringside::view
