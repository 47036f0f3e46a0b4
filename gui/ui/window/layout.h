// Where the panels of each page lie in a window of some size, and what gives way when it is small:
// first panels share room, then they stand below one another, at last the page scrolls; they never
// overlap. Pure: sizes in the pixels of the screen, already multiplied by the scale; no ImGui call.
#pragma once

#include <vector>

#include "gui/ui/rect.h"
#include "gui/ui/window/arrangement.h"

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

struct LiveLayout : PageLayout {
  Rect events;
  Rect loss;
  Rect accuracy;
  Rect step_time;  ///< the same as `accuracy` when they share a panel
  bool charts_share = false;
  Rect speedup;  ///< empty while its dock is closed
  Rect breakdown;
  Rect ranks;               ///< its header alone while its dock is closed
  Rect logs;                ///< its tab bar alone while its dock is closed or the window is low
  Rect logs_open;           ///< where a log that is a bar opens: over the rank table
  bool log_bar = false;     ///< the log is its tab bar
  bool log_closed = false;  ///< because its dock was closed
};

struct LaunchLayout : PageLayout {
  Rect devices;
  Rect form;
  Rect plan;
  Rect preflight;
  Rect command;
  Rect launch;
  bool pinned = false;  ///< the launch panel stands below what scrolls and is always seen
};

struct RunsLayout : PageLayout {
  Rect filter;
  Rect table;
  Rect side;  ///< the selected run or the comparison; empty where there is no room
};

/// What stands beside the list of runs.
enum class RunsSide { kNothing, kDetails, kComparison };

/// The text size a person asked for, less where the window could not show one control at it.
float fitting_scale(float wanted, float width, float height);

FrameLayout frame_layout(float width, float height, float scale);
LiveLayout live_layout(const FrameLayout& frame, float scale, const Arrangement& arrangement = {});
LaunchLayout launch_layout(const FrameLayout& frame, float scale,
                           const Arrangement& arrangement = {});
/// On a narrow window the side lies over the list.
RunsLayout runs_layout(const FrameLayout& frame, float scale, RunsSide side,
                       const Arrangement& arrangement = {});

/// Moves a layout by what was scrolled.
void scroll_by(LiveLayout& layout, float dx, float dy);
void scroll_by(LaunchLayout& layout, float dx, float dy);
void scroll_by(RunsLayout& layout, float dx, float dy);

}  // namespace ringside::ui
