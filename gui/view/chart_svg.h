// A chart as a picture that stands alone: the same lines, marks and ticks as on the screen, in the
// light colours of the look, so that it can be printed. Pure.
#pragma once

#include <string>

#include "gui/view/chart.h"

namespace ringside::view {

/// `heading` stands above it. UTF-8, SVG 1.1.
std::string chart_svg(const ChartView& chart, const std::string& heading, int width, int height);

}  // namespace ringside::view
