// Draws a ChartView: grid, axes, band, lines as one rectangle per pixel column (more than two of
// them as a picture, line_image.h), markers, limits, points, the cursor and its read-out; and
// tells what the mouse did over it. Main thread, inside a frame.
#pragma once

#include <imgui.h>

#include <optional>
#include <vector>

#include "gui/ui/rect.h"
#include "gui/view/chart/chart.h"

namespace ringside::ui {

/// Room around the plot for the labels of the axes and of the ends of lines.
struct ChartMargins {
  float left = 54;
  float top = 12;
  float right = 64;
  float bottom = 24;
  bool rank_ends = false;  ///< "r2" beside the end of each rank's line
};

Rect plot_rect(const Rect& area, const ChartMargins& margins);

/// What the person did over the plot, in units of the x axis.
struct PlotHit {
  bool hovered = false;
  double x = 0;
  float wheel = 0;     ///< notches; above 0: closer
  double dragged = 0;  ///< how far the plot was pulled to the right since the last frame
  bool double_clicked = false;
  bool right_clicked = false;
};

PlotHit draw_chart(const char* id, const view::ChartView& chart, const Rect& area,
                   const ChartMargins& margins);

/// What the runs say at one place, over a chart that was drawn there; without rows its line alone.
void draw_readout(const view::ChartView& chart, const view::ReadoutView& readout, const Rect& area,
                  const ChartMargins& margins);

/// "Smooth", with the number of steps when it is on, ending at `right`; a click opens the list.
/// Returns what was chosen; `right` becomes where it begins.
std::optional<int> smoothing_list(int now, float& right, float middle_y);

/// A few values without axes, for a cell of a table.
void draw_spark_line(const Rect& area, const std::vector<float>& values, bool broke, ImU32 color);

}  // namespace ringside::ui
