// Layout of the panels of each page for a window size, and how they adapt if it is small:
// panels first share room, then stack, and finally the page scrolls; they never overlap. The layout
// of Live is beside its panels, in gui/ui/live. Pure: sizes in screen pixels, already multiplied by
// the scale; no ImGui call.
#pragma once

#include <vector>

#include "gui/ui/arrangement.h"
#include "gui/ui/rect.h"

namespace ringside::ui {

struct FrameLayout {
  Rect top_bar;
  Rect rail;
  Rect status_bar;      ///< empty if the window is too low for it
  Rect main;            ///< everything in between, without margins
  bool narrow = false;  ///< below 1440: the rail shows icons only
  bool low = false;     ///< below 800: only the tab bar of the log dock is shown
};

/// The common part of every page's layout: the area that its panels need, which scrolls if it is
/// larger than the main area, and the splitters between them.
struct PageLayout {
  Rect viewport;  ///< the visible part
  Rect content;
  std::vector<SplitHandle> handles;
};

struct LaunchLayout : PageLayout {
  Rect devices;
  Rect form;
  Rect plan;
  Rect preflight;
  Rect command;
  Rect launch;
  bool pinned = false;  ///< the launch panel is below the scrolled area and always visible

  void each(auto&& visit) {
    for (Rect* area : {&devices, &form, &plan, &preflight, &command}) visit(*area);
    if (!pinned) visit(launch);
  }
};

struct RunsLayout : PageLayout {
  Rect filter;
  Rect table;
  Rect side;  ///< the selected run or the comparison; empty if there is no room

  void each(auto&& visit) {
    for (Rect* area : {&filter, &table, &side}) visit(*area);
  }
};

/// The panel beside the list of runs.
enum class RunsSide { kNothing, kDetails, kComparison };

/// The text size that a person chose, reduced if the window could not show one control at it.
float fitting_scale(float wanted, float width, float height);

FrameLayout frame_layout(float width, float height, float scale);
LaunchLayout launch_layout(const FrameLayout& frame, float scale,
                           const Arrangement& arrangement = {});
/// Layout of Runs; in a narrow window the side panel covers the list.
RunsLayout runs_layout(const FrameLayout& frame, float scale, RunsSide side,
                       const Arrangement& arrangement = {});

/// Moves a layout, that is `each` of its panels and the splitters, by the scrolled distance.
template <class Layout>
void scroll_by(Layout& layout, float dx, float dy) {
  layout.content.move(-dx, -dy);
  layout.each([dx, dy](Rect& area) { area.move(-dx, -dy); });
  for (SplitHandle& handle : layout.handles) {
    handle.area.move(-dx, -dy);
    handle.begin -= handle.horizontal ? dx : dy;
  }
}

}  // namespace ringside::ui
