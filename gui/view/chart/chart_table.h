// The numbers of a chart as a table: what is drawn, a row for each place of the x axis. Pure.
#pragma once

#include "gui/view/chart/chart.h"
#include "gui/view/table.h"

namespace ringside::view {

/// Lines that are not hidden, what they are smoothed to, band and points, in columns. A line of
/// which several steps share a place has its lowest and highest there. `first_step`: the number of
/// the first step, on an axis of steps.
Table chart_table(const ChartView& chart, std::int64_t first_step);

}  // namespace ringside::view
