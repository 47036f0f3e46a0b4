#include "gui/ui/layout.h"

#include <algorithm>
#include <cmath>

#include "gui/ui/cutter.h"

namespace ringside::ui {
namespace {

void launch_wide(const FrameLayout& frame, Scale s, const Arrangement& arrangement,
                 LaunchLayout& launch) {
  Cutter cutter(s, arrangement, launch);
  launch.content = room(frame, 0, s(440));
  Rect rest = launch.content;
  const float foot = frame.low ? s(120) : s(152);
  Rect bottom = cutter.cut(rest, Edge::kBottom, Split::kLaunchFoot, foot, {112, 300});
  const float drawn = between(frame.main.w, 348, 364, s.scale);
  Rect facts = cutter.cut(rest, Edge::kRight, Split::kLaunchFacts, drawn, {300, 640});
  launch.launch = bottom.take_right(facts.w, s(kGap));
  launch.command = bottom;
  const float plan = std::min(s(226), std::floor(facts.h * 0.5F));
  launch.plan = cutter.cut(facts, Edge::kTop, Split::kLaunchPlan, plan, {130, 100});
  launch.preflight = facts;
  const float form = between(frame.main.w, 412, 500, s.scale);
  launch.form = cutter.cut(rest, Edge::kRight, Split::kLaunchForm, form, {380, 220});
  launch.devices = rest;
}

void launch_stacked(const FrameLayout& frame, Scale s, LaunchLayout& launch) {
  Rect viewport = frame.main;
  const float button = s(104);
  launch.pinned = viewport.h >= s(320) && viewport.w >= s(300);
  if (launch.pinned) launch.launch = viewport.take_bottom(button, s(kGap));
  const bool halves = viewport.w >= s(720);
  const float foot = s(132);
  const float below = launch.pinned ? foot : foot + s(kGap) + button;
  launch.content = viewport;
  launch.content.w = std::max(viewport.w, s(300));
  const float side = s(200 + kGap + 226 + kGap + 240);
  launch.content.h = (halves ? side : side + s(440 + kGap)) + s(kGap) + below;
  Rect rest = launch.content;
  launch.viewport = viewport;
  if (!launch.pinned) launch.launch = rest.take_bottom(button, s(kGap));
  launch.command = rest.take_bottom(foot, s(kGap));
  if (halves) {
    launch.form = rest.take_right(std::floor((rest.w - s(kGap)) * 0.54F), s(kGap));
  } else {
    Rect upper = rest.take_top(s(200), s(kGap));
    launch.devices = upper;
    launch.form = rest.take_top(s(440), s(kGap));
  }
  if (halves) launch.devices = rest.take_top(s(200), s(kGap));
  launch.plan = rest.take_top(s(226), s(kGap));
  launch.preflight = rest;
}

void runs_panels(const FrameLayout& frame, Scale s, RunsSide side, const Arrangement& arrangement,
                 RunsLayout& runs) {
  runs.content = room(frame, s(380), s(240));
  Rect rest = runs.content;
  runs.filter = rest.take_top(s(rest.w < s(640) ? 60 : 32), s(kGap));
  runs.table = rest;
  if (frame.narrow && side == RunsSide::kNothing) return;
  if (rest.w < s(900)) {
    runs.side = rest;
    runs.table = {};
    return;
  }
  Cutter cutter(s, arrangement, runs);
  const float drawn = s(frame.narrow ? 480 : 540);
  runs.side = cutter.cut(rest, Edge::kRight, Split::kRunsSide, drawn, {360, 400});
  runs.table = rest;
}

}  // namespace

float fitting_scale(float wanted, float width, float height) {
  constexpr float kLeastWidth = 240;
  constexpr float kLeastHeight = 150;
  const float most = std::min(width / kLeastWidth, height / kLeastHeight);
  return std::max(std::min(wanted, most), std::min(wanted, 0.75F));
}

FrameLayout frame_layout(float width, float height, float scale) {
  const Scale s{scale};
  FrameLayout frame;
  frame.narrow = width < 1440 * scale;
  frame.low = height < 800 * scale;
  Rect rest{0, 0, width, height};
  frame.top_bar = rest.take_top(s(48));
  if (height >= 260 * scale) frame.status_bar = rest.take_bottom(s(24));
  frame.rail = rest.take_left(s(frame.narrow ? 48 : 64));
  frame.main = rest.inset(s(kGap), s(kGap));
  return frame;
}

LaunchLayout launch_layout(const FrameLayout& frame, float scale, const Arrangement& arrangement) {
  return laid_out<LaunchLayout>(frame, scale, [&](const FrameLayout& within, LaunchLayout& launch) {
    const Scale s{scale};
    if (within.main.w < s(1000)) {
      launch_stacked(within, s, launch);
    } else {
      launch_wide(within, s, arrangement, launch);
    }
  });
}

RunsLayout runs_layout(const FrameLayout& frame, float scale, RunsSide side,
                       const Arrangement& arrangement) {
  return laid_out<RunsLayout>(frame, scale, [&](const FrameLayout& within, RunsLayout& runs) {
    runs_panels(within, Scale{scale}, side, arrangement, runs);
  });
}

}  // namespace ringside::ui
