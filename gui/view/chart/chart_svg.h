// A chart as a stand-alone image, with the same lines, marks and ticks as on the screen, in the
// light colours, so that it can be printed. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/view/chart/chart.h"
#include "gui/view/colors.h"

namespace ringside::view {

/// `heading` is the title above the chart. The image is SVG 1.1 in UTF-8.
std::string chart_svg(const ChartView& chart, const std::string& heading, int width, int height);

/// Every colour that such an image can have, for a page that replaces light colours by dark ones.
std::vector<Color> svg_colors();

}  // namespace ringside::view
