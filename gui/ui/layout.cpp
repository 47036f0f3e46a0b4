#include "gui/ui/layout.h"

#include <algorithm>
#include <cmath>

namespace ringside::ui {
namespace {

constexpr float kGap = 8;

/// `at_small` in a main area 1216 wide, `at_large` in one of 1520, in between and a little beyond
/// on the same line.
float between(float main_width, float at_small, float at_large, float scale) {
  const float share = (main_width / scale - 1216.0F) / (1520.0F - 1216.0F);
  const float length = at_small + (at_large - at_small) * std::clamp(share, -0.3F, 2.0F);
  return std::floor(length * scale);
}

}  // namespace

FrameLayout frame_layout(float width, float height, float scale) {
  const auto s = [scale](float length) { return std::floor(length * scale + 0.5F); };
  FrameLayout frame;
  frame.narrow = width < 1440 * scale;
  frame.low = height < 800 * scale;
  Rect rest{0, 0, width, height};
  frame.top_bar = rest.take_top(s(48));
  frame.status_bar = rest.take_bottom(s(24));
  frame.rail = rest.take_left(s(frame.narrow ? 48 : 64));
  frame.main = rest.inset(s(kGap), s(kGap));
  return frame;
}

LiveLayout live_layout(const FrameLayout& frame, float scale) {
  const auto s = [scale](float length) { return std::floor(length * scale + 0.5F); };
  const float gap = s(kGap);
  LiveLayout live;
  Rect rest = frame.main;
  live.events = rest.take_top(s(32), gap);
  live.logs = rest.take_bottom(frame.low ? s(29) : s(132), gap);
  // What a larger window gains goes to the charts first, then to the table.
  const float base = frame.low ? s(404) : s(452);
  const float extra = std::max(0.0F, rest.h - base - gap - (frame.low ? s(152) : s(172)));
  Rect charts = rest.take_top(std::floor(base + extra * 0.7F), gap);
  live.ranks = rest;
  Rect right = charts.take_right(between(frame.main.w, 400, 520, scale), gap);
  live.charts_share = frame.narrow;
  Rect lower = charts;
  live.loss = lower.take_top(std::floor(charts.h - s(168) - gap - extra * 0.25F), gap);
  if (live.charts_share) {
    live.accuracy = lower;
    live.step_time = lower;
  } else {
    live.accuracy = lower.take_left(std::floor((lower.w - gap) * 0.5F), gap);
    live.step_time = lower;
  }
  live.speedup = right.take_top(std::min(s(196), std::floor(right.h * 0.47F)), gap);
  live.breakdown = right;
  live.logs_open = {live.ranks.x, live.ranks.y, live.ranks.w, live.logs.bottom() - live.ranks.y};
  return live;
}

LaunchLayout launch_layout(const FrameLayout& frame, float scale) {
  const auto s = [scale](float length) { return std::floor(length * scale + 0.5F); };
  const float gap = s(kGap);
  LaunchLayout launch;
  Rect rest = frame.main;
  Rect bottom = rest.take_bottom(frame.low ? s(120) : s(152), gap);
  const float right = between(frame.main.w, 348, 364, scale);
  launch.launch = bottom.take_right(right, gap);
  launch.command = bottom;
  Rect facts = rest.take_right(right, gap);
  launch.plan = facts.take_top(std::min(s(226), std::floor(facts.h * 0.5F)), gap);
  launch.preflight = facts;
  launch.form = rest.take_right(between(frame.main.w, 412, 500, scale), gap);
  launch.devices = rest;
  return launch;
}

RunsLayout runs_layout(const FrameLayout& frame, float scale, bool comparing) {
  const auto s = [scale](float length) { return std::floor(length * scale + 0.5F); };
  const float gap = s(kGap);
  RunsLayout runs;
  Rect rest = frame.main;
  runs.filter = rest.take_top(s(32), gap);
  if (!frame.narrow || comparing) runs.side = rest.take_right(s(frame.narrow ? 480 : 540), gap);
  runs.table = rest;
  return runs;
}

}  // namespace ringside::ui
