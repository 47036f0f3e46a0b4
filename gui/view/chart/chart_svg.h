// A chart as a stand-alone image: the same lines, marks and ticks as on the screen, in the light
// colours, so that it can be printed. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/view/chart/chart.h"
#include "gui/view/colors.h"

namespace ringside::view {

/// `heading` stands above it. UTF-8, SVG 1.1.
std::string chart_svg(const ChartView& chart, const std::string& heading, int width, int height);

/// Every colour that occurs in such an image, for a page that replaces the light by the dark value.
std::vector<Color> svg_colors();

}  // namespace ringside::view
