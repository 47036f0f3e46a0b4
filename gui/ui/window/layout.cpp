#include "gui/ui/window/layout.h"

#include <algorithm>
#include <cmath>

namespace ringside::ui {
namespace {

constexpr float kGap = 8;
constexpr float kHeader = 29;  // of a panel, its line included
constexpr float kScrollBar = 13;
constexpr float kLeastTable = kHeader + 24 + 24 + 24;  // of ranks: heads, one rank, their sum

/// Turns lengths of the drawings into pixels.
struct Scale {
  float scale;
  float operator()(float length) const { return std::floor(length * scale + 0.5F); }
};

/// `at_small` in a main area 1216 wide, `at_large` in one of 1520, in between and a little beyond
/// on the same line.
float between(float main_width, float at_small, float at_large, float scale) {
  const float share = (main_width / scale - 1216.0F) / (1520.0F - 1216.0F);
  const float length = at_small + (at_large - at_small) * std::clamp(share, -0.3F, 2.0F);
  return std::floor(length * scale);
}

enum class Edge { kTop, kBottom, kLeft, kRight };

/// What a piece needs at least, and what has to be left of the rest.
struct Least {
  float piece;
  float rest;
};

/// Cuts pieces off where a person pulled the line, else as drawn, and notes where each line is.
class Cutter {
 public:
  Cutter(Scale s, const Arrangement& arrangement, PageLayout& page)
      : s_(s), arrangement_(arrangement), page_(page) {}

  Rect cut(Rect& rest, Edge edge, Split which, float drawn, Least least) {
    const bool horizontal = edge == Edge::kLeft || edge == Edge::kRight;
    const bool from_end = edge == Edge::kRight || edge == Edge::kBottom;
    const float total = horizontal ? rest.w : rest.h;
    const float share = arrangement_.share(which);
    const float wanted = share > 0 ? std::floor(share * total) : drawn;
    const float most = std::max(s_(least.piece), total - s_(least.rest) - s_(kGap));
    const float length = std::min(std::clamp(wanted, s_(least.piece), most), total);
    SplitHandle handle{which, rest, horizontal, from_end, horizontal ? rest.x : rest.y, total};
    const Rect piece = take(rest, edge, length);
    (horizontal ? handle.area.x : handle.area.y) =
        from_end ? (horizontal ? piece.x : piece.y) - s_(kGap)
                 : (horizontal ? piece.right() : piece.bottom());
    (horizontal ? handle.area.w : handle.area.h) = s_(kGap);
    if (!rest.empty()) page_.handles.push_back(handle);
    return piece;
  }

 private:
  Rect take(Rect& rest, Edge edge, float length) const {
    switch (edge) {
      case Edge::kTop:
        return rest.take_top(length, s_(kGap));
      case Edge::kBottom:
        return rest.take_bottom(length, s_(kGap));
      case Edge::kLeft:
        return rest.take_left(length, s_(kGap));
      case Edge::kRight:
        break;
    }
    return rest.take_right(length, s_(kGap));
  }

  Scale s_;
  const Arrangement& arrangement_;
  PageLayout& page_;
};

/// The main area, larger where the panels need more: what does not fit is scrolled to.
Rect room(const FrameLayout& frame, float least_width, float least_height) {
  Rect content = frame.main;
  content.w = std::max(content.w, least_width);
  content.h = std::max(content.h, least_height);
  return content;
}

/// The charts of a wide window: loss above two others, speedup and breakdown beside them.
void live_charts(Rect charts, float extra, const FrameLayout& frame, Scale s, Cutter& cutter,
                 const Arrangement& arrangement, LiveLayout& live) {
  Rect right;
  if (arrangement.open(view::Dock::kSpeedup)) {
    const float drawn = between(frame.main.w, 400, 520, s.scale);
    right = cutter.cut(charts, Edge::kRight, Split::kLiveSide, drawn, {340, 560});
  }
  live.charts_share = frame.narrow;
  Rect lower = charts;
  const float loss = std::floor(charts.h - s(168) - s(kGap) - extra * 0.25F);
  live.loss = cutter.cut(lower, Edge::kTop, Split::kLiveLower, loss, {150, 120});
  if (live.charts_share) {
    live.accuracy = lower;
  } else {
    const float half = std::floor((lower.w - s(kGap)) * 0.5F);
    live.accuracy = cutter.cut(lower, Edge::kLeft, Split::kLiveHalf, half, {240, 260});
  }
  live.step_time = lower;
  if (right.empty()) return;
  const float card = std::min(s(196), std::floor(right.h * 0.47F));
  live.speedup = cutter.cut(right, Edge::kTop, Split::kLiveSpeedup, card, {190, 124});
  live.breakdown = right;
}

void live_wide(const FrameLayout& frame, Scale s, const Arrangement& arrangement,
               LiveLayout& live) {
  Cutter cutter(s, arrangement, live);
  const bool ranks_open = arrangement.open(view::Dock::kRanks);
  live.content = room(frame, 0, s(600));
  Rect rest = live.content;
  live.events = rest.take_top(s(32), s(kGap));
  live.log_closed = !arrangement.open(view::Dock::kLogs);
  live.log_bar = frame.low || live.log_closed;
  if (live.log_bar) {
    live.logs = rest.take_bottom(s(kHeader), s(kGap));
  } else {
    live.logs =
        cutter.cut(rest, Edge::kBottom, Split::kLiveLogs, s(132), {72, 330 + kGap + kLeastTable});
  }
  // What a larger window gains goes to the charts first, then to the table.
  const float base = frame.low ? s(404) : s(452);
  const float table = ranks_open ? (frame.low ? s(152) : s(172)) : s(kHeader);
  const float extra = std::max(0.0F, rest.h - base - s(kGap) - table);
  Rect charts;
  if (ranks_open) {
    const float drawn = std::floor(base + extra * 0.7F);
    charts = cutter.cut(rest, Edge::kTop, Split::kLiveCharts, drawn, {330, kLeastTable});
    live.ranks = rest;
  } else {
    live.ranks = rest.take_bottom(s(kHeader), s(kGap));
    charts = rest;
  }
  live_charts(charts, extra, frame, s, cutter, arrangement, live);
  live.logs_open = {live.ranks.x, live.ranks.y, live.ranks.w, live.logs.bottom() - live.ranks.y};
}

/// All panels below one another, for windows that are too narrow for two columns.
void live_stacked(const FrameLayout& frame, Scale s, const Arrangement& arrangement,
                  LiveLayout& live) {
  const bool halves = frame.main.w >= s(760);
  const bool speedup = arrangement.open(view::Dock::kSpeedup);
  const float ranks = arrangement.open(view::Dock::kRanks) ? s(240) : s(kHeader);
  live.log_bar = live.log_closed = !arrangement.open(view::Dock::kLogs);
  const float logs = live.log_bar ? s(kHeader) : s(240);
  const float cards = speedup ? (halves ? s(248) : s(196 + kGap + 248)) + s(kGap) : 0;
  live.charts_share = true;
  live.content = room(frame, s(340), 0);
  live.content.h = s(32 + 260 + 200 + 4 * kGap) + cards + ranks + logs;
  Rect rest = live.content;
  live.events = rest.take_top(s(32), s(kGap));
  live.loss = rest.take_top(s(260), s(kGap));
  live.accuracy = live.step_time = rest.take_top(s(200), s(kGap));
  if (speedup) {
    Rect row = rest.take_top(cards - s(kGap), s(kGap));
    live.speedup = halves ? row.take_left(std::floor((row.w - s(kGap)) * 0.5F), s(kGap))
                          : row.take_top(s(196), s(kGap));
    live.breakdown = row;
  }
  live.ranks = rest.take_top(ranks, s(kGap));
  live.logs = rest;
  live.logs_open = {live.ranks.x, live.ranks.y, live.ranks.w, live.logs.bottom() - live.ranks.y};
}

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

/// Lays a page out, and once more beside the scroll bar where there is one.
template <class Layout, class Make>
Layout laid_out(const FrameLayout& frame, float scale, const Make& make) {
  Layout layout;
  layout.viewport = frame.main;
  make(frame, layout);
  if (layout.content.h <= layout.viewport.h + 1) return layout;
  FrameLayout within = frame;
  within.main.w -= Scale{scale}(kScrollBar);
  Layout beside;
  beside.viewport = within.main;
  make(within, beside);
  beside.viewport.w = frame.main.w;
  return beside;
}

void move(Rect& area, float dx, float dy) {
  area.x -= dx;
  area.y -= dy;
}

void move_handles(PageLayout& page, float dx, float dy) {
  move(page.content, dx, dy);
  for (SplitHandle& handle : page.handles) {
    move(handle.area, dx, dy);
    handle.begin -= handle.horizontal ? dx : dy;
  }
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

LiveLayout live_layout(const FrameLayout& frame, float scale, const Arrangement& arrangement) {
  return laid_out<LiveLayout>(frame, scale, [&](const FrameLayout& within, LiveLayout& live) {
    const Scale s{scale};
    if (within.main.w < s(940)) {
      live_stacked(within, s, arrangement, live);
    } else {
      live_wide(within, s, arrangement, live);
    }
  });
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

void scroll_by(LiveLayout& layout, float dx, float dy) {
  move_handles(layout, dx, dy);
  for (Rect* area :
       {&layout.events, &layout.loss, &layout.accuracy, &layout.step_time, &layout.speedup,
        &layout.breakdown, &layout.ranks, &layout.logs, &layout.logs_open}) {
    move(*area, dx, dy);
  }
}

void scroll_by(LaunchLayout& layout, float dx, float dy) {
  move_handles(layout, dx, dy);
  for (Rect* area :
       {&layout.devices, &layout.form, &layout.plan, &layout.preflight, &layout.command}) {
    move(*area, dx, dy);
  }
  if (!layout.pinned) move(layout.launch, dx, dy);
}

void scroll_by(RunsLayout& layout, float dx, float dy) {
  move_handles(layout, dx, dy);
  for (Rect* area : {&layout.filter, &layout.table, &layout.side}) move(*area, dx, dy);
}

}  // namespace ringside::ui
