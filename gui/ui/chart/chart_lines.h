// The inside of a plot: converts values to pixels and draws lines, bands and marks. Used by
// chart.cpp.
#pragma once

#include <imgui.h>

#include <vector>

#include "gui/ui/chart/line_image.h"
#include "gui/ui/rect.h"
#include "gui/view/chart/chart.h"

namespace ringside::ui {

/// Maps the values of a chart to the screen.
struct Plot {
  Rect area;
  const view::AxisView& x;
  const view::AxisView& y;

  float x_of(double value) const {
    return area.x + static_cast<float>(view::axis_share(x, value)) * area.w;
  }
  /// Clamped to slightly beyond the plot, so that a diverging value cannot break the drawing.
  float y_of(double value) const;
  double value_of_x(float pixel) const;
};

void draw_band(const Plot& plot, const std::vector<view::ChartColumn>& columns, ImU32 color);

/// Lines made of consecutive pixel columns, collected in drawing order.
class ColumnLines {
 public:
  explicit ColumnLines(const Plot& plot) : plot_(plot) {}

  /// Adds one bar per pixel column. Returns false, and adds nothing, if the columns are far apart.
  bool add(const std::vector<view::ChartColumn>& columns, ImU32 color, float weight);
  /// Draws the bars that were added and removes them.
  void draw();

 private:
  const Plot& plot_;
  std::vector<Bar> bars_;
  int lines_ = 0;
};

/// An anti-aliased line through the means of the columns.
void draw_smooth(const Plot& plot, const std::vector<view::ChartColumn>& columns, ImU32 color,
                 float weight);
void draw_dashes(const Plot& plot, const std::vector<view::ChartColumn>& columns, ImU32 color,
                 float weight);

}  // namespace ringside::ui
