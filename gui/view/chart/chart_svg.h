// A chart as a picture that stands alone: the same lines, marks and ticks as on the screen, in the
// light colours of the look, so that it can be printed. Pure.
#pragma once

#include <span>
#include <string>

#include "gui/view/chart/chart.h"

namespace ringside::view {

/// `heading` stands above it. UTF-8, SVG 1.1.
std::string chart_svg(const ChartView& chart, const std::string& heading, int width, int height);

/// Every colour that occurs in such a picture, and what it is in the dark column of the look, for a
/// page that shows it on a dark ground.
struct SvgColor {
  const char* light;
  const char* dark;
};
std::span<const SvgColor> svg_inks();

}  // namespace ringside::view
