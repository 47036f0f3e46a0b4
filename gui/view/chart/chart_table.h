// The numbers of a chart as a table: the drawn values, one row per position on the x axis. Pure.
#pragma once

#include "gui/view/chart/chart.h"
#include "gui/view/table.h"

namespace ringside::view {

/// Returns a column for each visible line, its smoothed line, the band and the points. If several
/// steps of a line share a position, it has columns for their lowest and highest value.
/// `first_step` is the number of the first step on an axis of steps.
Table chart_table(const ChartView& chart, std::int64_t first_step);

}  // namespace ringside::view
