// Where the panels of each place lie in a window of some size, and what gives way when it is small.
// Pure: sizes in the pixels of the screen, already multiplied by the scale; no ImGui call.
#pragma once

#include "gui/ui/rect.h"

namespace ringside::ui {

struct FrameLayout {
  Rect top_bar;
  Rect rail;
  Rect status_bar;
  Rect main;            ///< everything between, margins taken off
  bool narrow = false;  ///< below 1440: the rail shows icons only
  bool low = false;     ///< below 800: the log dock is its tab bar
};

struct LiveLayout {
  Rect events;
  Rect loss;
  Rect accuracy;
  Rect step_time;  ///< the same as `accuracy` when they share a panel
  bool charts_share = false;
  Rect speedup;
  Rect breakdown;
  Rect ranks;
  Rect logs;
  Rect logs_open;  ///< when low: where the log dock opens, over the rank table
};

struct LaunchLayout {
  Rect devices;
  Rect form;
  Rect plan;
  Rect preflight;
  Rect command;
  Rect launch;
};

struct RunsLayout {
  Rect filter;
  Rect table;
  Rect side;  ///< the selected run or the comparison; empty where there is no room
};

FrameLayout frame_layout(float width, float height, float scale);
LiveLayout live_layout(const FrameLayout& frame, float scale);
LaunchLayout launch_layout(const FrameLayout& frame, float scale);
/// On a narrow window the side is there only while runs are compared.
RunsLayout runs_layout(const FrameLayout& frame, float scale, bool comparing);

}  // namespace ringside::ui
