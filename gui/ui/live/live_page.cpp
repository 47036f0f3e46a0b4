#include "gui/ui/live/live_page.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/ui/cutter.h"
#include "gui/ui/widgets.h"
#include "gui/view/live/node_map.h"

namespace ringside::ui {
namespace {

using Queue = view::CommandQueue;

constexpr float kLeastTable = kHeader + 24 + 24 + 24;  // heads, one rank, totals

/// Layout of the charts in a wide window: loss above two others, speedup and breakdown beside them.
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
  // A larger window gives its additional height first to the charts, then to the table.
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

/// Layout of all panels below one another, for windows too narrow for two columns.
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

bool holds(const Rect& outer, const Rect& inner) {
  return inner.y >= outer.y - 1 && inner.bottom() <= outer.bottom() + 1 && inner.x >= outer.x - 1 &&
         inner.right() <= outer.right() + 1;
}

/// Everything besides its view that is needed to draw a panel.
struct Drawing {
  const view::LiveInput& input;
  const LiveViews& views;
  const LiveLayout& layout;
  const view::ColumnChoice& columns;
  LiveMemory& memory;
  Queue& commands;

  RunChart run(const view::ChartView& chart, bool own_window = false) const {
    return {chart,      *input.model,      input.choice,    input.context,
            own_window, memory.over_chart, memory.menu_step};
  }
};

/// Removes the read-out if it followed the mouse; one that marks an event stays.
void leave_cursor(const view::LiveInput& input, LiveMemory& memory, Queue& commands) {
  if (memory.cursor_of_mouse && !memory.over_chart && input.choice.cursor_step >= 0)
    commands.emplace_back(view::MoveCursor{-1});
  memory.cursor_of_mouse = memory.over_chart;
}

enum class Pace { kChart, kNumbers, kTables, kLog };

struct LivePanel {
  const char* id;
  const char* title;
  Pace pace;
  Rect LiveLayout::*where;
  Rect (*plot)(const Rect&);  ///< pixel area that its builder thins to; null: none
  void (*build)(const view::LiveInput&, const LiveMemory&, int width, int height, LiveViews&);
  void (*draw)(const Drawing&, const Rect&);
};

void build_loss(const view::LiveInput& in, const LiveMemory&, int width, int height,
                LiveViews& views) {
  views.loss = view::build_loss_chart(*in.model, in.context, in.baseline, in.choice, width, height);
}
void build_accuracy(const view::LiveInput& in, const LiveMemory&, int width, int height,
                    LiveViews& views) {
  views.accuracy =
      view::build_accuracy_chart(*in.model, in.context, in.baseline, in.choice, width, height);
}
void build_step_time(const view::LiveInput& in, const LiveMemory&, int width, int height,
                     LiveViews& views) {
  views.step_time = view::build_step_time_chart(*in.model, in.context, in.choice, width, height);
}
void build_tables(const view::LiveInput& in, const LiveMemory& memory, int width, int height,
                  LiveViews& views) {
  TableViews& tables = views.tables;
  tables.ranks = view::build_rank_table(*in.model, in.context, memory.rank_sort);
  tables.nodes = view::build_node_table(*in.model, tables.ranks.table, in.context.missing_logs);
  // The other tabs are built only if visible: with a thousand ranks each takes some time.
  switch (shown_table_tab(memory, tables.ranks.table.rows.size())) {
    case view::TableTab::kGrid:
      tables.grid = view::build_rank_grid(tables.ranks.table, memory.grid_metric);
      break;
    case view::TableTab::kDevices:
      tables.devices = view::build_device_table(*in.model);
      break;
    case view::TableTab::kResources:
      tables.resources = view::build_resource_charts(*in.model, width, height, in.context.notes);
      break;
    case view::TableTab::kMetrics:
      tables.metrics.view = view::build_metrics_view(*in.model, memory.metrics.choice);
      break;
    case view::TableTab::kGroups:
      tables.groups = view::build_groups_view(*in.model, in.context, memory.groups);
      break;
    default:
      break;
  }
}

void draw_accuracy_panel(const Drawing& d, const Rect& area) {
  if (d.layout.charts_share) {
    draw_shared_charts(d.run(d.views.accuracy), d.run(d.views.step_time, true), area, d.memory,
                       d.commands);
  } else {
    draw_accuracy(d.run(d.views.accuracy), area, d.commands);
  }
}

void draw_table_panel(const Drawing& d, const Rect& area) {
  if (d.memory.log.low && d.memory.log.open) return;
  draw_tables(d.views.tables, d.columns, area, d.memory, d.commands);
}

void draw_log_panel(const Drawing& d, const Rect& area) {
  d.memory.log.low = d.layout.log_bar && !d.layout.log_closed;
  const bool over = d.memory.log.low && d.memory.log.open;
  const LogPanel log{d.views.log, d.layout.log_bar && !over, over, d.layout.log_closed,
                     d.input.can_read_earlier};
  draw_log(log, over ? d.layout.logs_open : area, d.memory.log, d.commands);
}

/// Resets choices, since another run has other groups, ranks and failures, and another log.
void begin_run(LiveMemory& memory, const RunId& run) {
  LogMemory& log = memory.log;
  if (log.run == run) return;
  memory.groups = {};
  log.run = run;
  log.chosen = false;
  log.choice.all = true;
  log.choice.rank = kNoRank;
  log.choice.node = view::kNoNode;
  log.choice.most_lines = view::LogChoice().most_lines;
  log.selection = {};
}

// The one table of panels: what each shows and how it is built and drawn. A new panel also needs
// its view in LiveViews, its area in LiveLayout, and that area cut out above.
constexpr auto kTable = std::to_array<LivePanel>({
    {"events", "Events", Pace::kNumbers, &LiveLayout::events, nullptr,
     [](const view::LiveInput& in, const LiveMemory&, int, int, LiveViews& views) {
       views.events = view::build_event_strip(*in.model, in.context, in.baseline);
     },
     [](const Drawing& d, const Rect& area) { draw_events(d.views.events, area, d.commands); }},
    {"loss", view::label::kLoss, Pace::kChart, &LiveLayout::loss, loss_plot, build_loss,
     [](const Drawing& d, const Rect& area) { draw_loss(d.run(d.views.loss), area, d.commands); }},
    {"accuracy", view::label::kAccuracy, Pace::kChart, &LiveLayout::accuracy, accuracy_plot,
     build_accuracy, draw_accuracy_panel},
    {"step_time", view::label::kStepTime, Pace::kChart, &LiveLayout::step_time, step_time_plot,
     build_step_time,
     [](const Drawing& d, const Rect& area) {
       if (!d.layout.charts_share) draw_step_time(d.run(d.views.step_time, true), area, d.commands);
     }},
    {"speedup", view::label::kSpeedup, Pace::kNumbers, &LiveLayout::speedup, nullptr,
     [](const view::LiveInput& in, const LiveMemory&, int, int, LiveViews& views) {
       views.speedup = view::build_speedup_view(*in.model, in.context, in.baseline);
     },
     [](const Drawing& d, const Rect& area) { draw_speedup(d.views.speedup, area, d.commands); }},
    {"breakdown", view::label::kStepBreakdown, Pace::kNumbers, &LiveLayout::breakdown, nullptr,
     [](const view::LiveInput& in, const LiveMemory&, int, int, LiveViews& views) {
       views.bars = view::build_step_bars(*in.model, in.context);
     },
     [](const Drawing& d, const Rect& area) { draw_step_bars(d.views.bars, area); }},
    {"tables", "Ranks", Pace::kTables, &LiveLayout::ranks, resource_plot, build_tables,
     draw_table_panel},
    {"log", "Log", Pace::kLog, &LiveLayout::logs, nullptr,
     [](const view::LiveInput& in, const LiveMemory& memory, int, int, LiveViews& views) {
       const std::uint64_t built = views.log.built + 1;
       views.log = view::build_log(*in.model, in.texts, memory.log.choice, in.search,
                                   in.context.today_wall_ns);
       views.log.built = built;
     },
     draw_log_panel},
});

}  // namespace

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

void LivePage::draw(const view::LiveInput& input, const LiveLayout& layout,
                    const view::ColumnChoice& columns, LiveMemory& memory, Queue& commands) {
  memory.over_chart = false;
  begin_run(memory, input.context.id);
  views_.tables.metrics.live = &input;
  keys_.resize(kTable.size());
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    const LivePanel& panel = kTable[i];
    const Rect area = layout.*panel.where;
    if (area.empty()) continue;  // its dock is closed
    const Rect plot = panel.plot != nullptr ? panel.plot(area) : Rect{};
    const auto width = static_cast<int>(plot.w);
    const auto height = static_cast<int>(plot.h);
    const bool chart = panel.pace == Pace::kChart;
    Key key;
    key.built = true;
    key.chart = view::chart_key(*input.model, input.context, input.baseline,
                                chart ? input.choice : view::ChartChoice{}, width, height);
    key.chart.revision = chart ? input.chart_revision : input.number_revision;
    key.chart.baseline_revision = input.baseline_revision;
    if (panel.pace == Pace::kLog) key.log = memory.log.choice;
    if (panel.pace == Pace::kTables) {
      key.rank_sort = memory.rank_sort;
      key.grid_metric = memory.grid_metric;
      key.table_tab = memory.table_tab;
      key.metrics = memory.metrics.choice;
      key.groups = memory.groups;
    }
    key.id = input.context.id;
    if (key != keys_[i]) {
      panel.build(input, memory, width, height, views_);
      keys_[i] = key;
      ++builds_;
    }
    if (chart && holds(layout.viewport, area)) memory.chart_areas[panel.id] = area;
    ImGui::PushID(panel.id);
    panel.draw({input, views_, layout, columns, memory, commands}, area);
    ImGui::PopID();
  }
  leave_cursor(input, memory, commands);
}

}  // namespace ringside::ui
