// The Scaling page: study strip, chart, table of settings, and the form of a new study above them.
// Main thread, inside a frame.
#pragma once

#include <imgui.h>

#include "gui/ui/layout.h"
#include "gui/view/scaling/scaling_view.h"
#include "gui/view/window/screen_input.h"

namespace ringside::ui {

struct ScalingLayout : PageLayout {
  Rect strip;
  Rect chart;
  Rect side;  ///< right of the chart; empty: no panel
  Rect table;

  void each(auto&& visit) {
    for (Rect* area : {&strip, &chart, &side, &table}) visit(*area);
  }
};

/// `with_side`: a panel beside the chart takes half of its width.
ScalingLayout scaling_layout(const FrameLayout& frame, float scale, bool with_side);

void draw_study_strip(const view::ScalingView& study, const view::ScalingInput& input,
                      const Rect& area, view::CommandQueue& commands);
void draw_scaling_chart(const view::ScalingChart& chart, const view::ScalingInput& input,
                        const Rect& area, view::CommandQueue& commands);
/// Draws a study of settings, in place of chart and waterfall.
void draw_parallel(const view::ScalingView& study, const view::ScalingInput& input,
                   const Rect& area, view::CommandQueue& commands);
void draw_settings_table(const view::ScalingView& study, const view::ScalingInput& input,
                         const Rect& area, view::ColumnChoice& columns,
                         view::CommandQueue& commands);
/// Draws the waterfall of the chosen setting; a bar that is pressed opens its run in Live.
void draw_setting_waterfall(const view::ScalingInput& input, const Rect& area,
                            view::CommandQueue& commands);
/// Draws the empty page, in place of all panels, if there is no study.
void draw_no_study(const view::ScalingInput& input, const Rect& area, view::CommandQueue& commands);

void study_sheet(const view::ScreenInput& input, view::CommandQueue& commands);

/// Draws the mark of a series: filled or hollow.
void draw_marker(view::Marker marker, float x, float y, float size, ImU32 color, bool hollow);

}  // namespace ringside::ui
