// The inside of a plot: how values become pixels, and how lines, bands and marks are put there.
// Used by chart.cpp.
#pragma once

#include <imgui.h>

#include <vector>

#include "gui/ui/chart/line_image.h"
#include "gui/ui/rect.h"
#include "gui/view/chart/chart.h"

namespace ringside::ui {

/// Where the values of a chart lie on the screen.
struct Plot {
  Rect area;
  const view::AxisView& x;
  const view::AxisView& y;

  float x_of(double value) const {
    return area.x + static_cast<float>(view::axis_share(x, value)) * area.w;
  }
  /// Clamped to a little beyond the plot, so that a diverging value cannot break the drawing.
  float y_of(double value) const;
  double value_of_x(float pixel) const;
};

void draw_band(const Plot& plot, const std::vector<view::ChartColumn>& columns, ImU32 color);

/// Lines of pixel columns that follow each other in the order of drawing.
class ColumnLines {
 public:
  explicit ColumnLines(const Plot& plot) : plot_(plot) {}

  /// One bar per pixel column. False where columns are far apart: nothing was added.
  bool add(const std::vector<view::ChartColumn>& columns, ImU32 color, float weight);
  /// Puts what was added on the screen and forgets it.
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
