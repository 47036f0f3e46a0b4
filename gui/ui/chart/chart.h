// Draws a ChartView: grid, axes, band, lines as one rectangle per pixel column (more than two of
// them as an image, line_image.h), markers, limits, points, the cursor and its read-out; returns
// what the mouse did over it. Main thread, inside a frame.
#pragma once

#include <imgui.h>

#include <optional>
#include <vector>

#include "gui/ui/rect.h"
#include "gui/view/chart/chart.h"

namespace ringside::ui {

/// Room around the plot for the labels of the axes and at the ends of lines.
struct ChartMargins {
  float left = 54;
  float top = 12;
  float right = 64;
  float bottom = 24;
  bool rank_ends = false;  ///< "r2" at the end of each rank's line
};

Rect plot_rect(const Rect& area, const ChartMargins& margins);

/// What the person did over the plot, in units of the x axis.
struct PlotHit {
  bool hovered = false;
  double x = 0;
  float wheel = 0;     ///< notches; above 0: zooms in
  double dragged = 0;  ///< distance by which the plot was dragged to the right since the last frame
  bool double_clicked = false;
  bool right_clicked = false;
};

PlotHit draw_chart(const char* id, const view::ChartView& chart, const Rect& area,
                   const ChartMargins& margins);

/// The values of the runs at one x, over a chart that was already drawn; without rows only its
/// line.
void draw_readout(const view::ChartView& chart, const view::ReadoutView& readout, const Rect& area,
                  const ChartMargins& margins);

/// "Smooth", with the number of steps if it is on, right-aligned at `right`; a click opens the
/// list. Returns the choice and sets `right` to its left edge.
std::optional<int> smoothing_list(int now, float& right, float middle_y);

/// A few values without axes, for a table cell.
void draw_spark_line(const Rect& area, const std::vector<float>& values, bool broke, ImU32 color);

}  // namespace ringside::ui
