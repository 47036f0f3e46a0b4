// Where the panels of each page lie in a window of some size, and what gives way when it is small:
// first panels share room, then they stand below one another, at last the page scrolls; they never
// overlap. That of Live lies beside its panels, in gui/ui/live. Pure: sizes in the pixels of the
// screen, already multiplied by the scale; no ImGui call.
#pragma once

#include <vector>

#include "gui/ui/arrangement.h"
#include "gui/ui/rect.h"

namespace ringside::ui {

struct FrameLayout {
  Rect top_bar;
  Rect rail;
  Rect status_bar;      ///< empty in a window that is too low for it
  Rect main;            ///< everything between, margins taken off
  bool narrow = false;  ///< below 1440: the rail shows icons only
  bool low = false;     ///< below 800: the log dock is its tab bar
};

/// What every page has: the room its panels want, which scrolls where it is larger than the main
/// area, and the lines between them.
struct PageLayout {
  Rect viewport;  ///< what is seen of it
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
  bool pinned = false;  ///< the launch panel stands below what scrolls and is always seen

  void each(auto&& visit) {
    for (Rect* area : {&devices, &form, &plan, &preflight, &command}) visit(*area);
    if (!pinned) visit(launch);
  }
};

struct RunsLayout : PageLayout {
  Rect filter;
  Rect table;
  Rect side;  ///< the selected run or the comparison; empty where there is no room

  void each(auto&& visit) {
    for (Rect* area : {&filter, &table, &side}) visit(*area);
  }
};

/// What stands beside the list of runs.
enum class RunsSide { kNothing, kDetails, kComparison };

/// The text size a person asked for, less where the window could not show one control at it.
float fitting_scale(float wanted, float width, float height);

FrameLayout frame_layout(float width, float height, float scale);
LaunchLayout launch_layout(const FrameLayout& frame, float scale,
                           const Arrangement& arrangement = {});
/// On a narrow window the side lies over the list.
RunsLayout runs_layout(const FrameLayout& frame, float scale, RunsSide side,
                       const Arrangement& arrangement = {});

/// Moves a layout, `each` of its panels and the lines between them, by what was scrolled.
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
