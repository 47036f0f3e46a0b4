#include "gui/ui/live/live_page.h"

#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

using Queue = view::CommandQueue;

bool holds(const Rect& outer, const Rect& inner) {
  return inner.y >= outer.y - 1 && inner.bottom() <= outer.bottom() + 1 && inner.x >= outer.x - 1 &&
         inner.right() <= outer.right() + 1;
}

/// What draws a panel needs beside its view.
struct Drawing {
  const view::LiveInput& input;
  const LiveViews& views;
  const LiveLayout& layout;
  const view::ColumnChoice& columns;
  LiveMemory& memory;
  Queue& commands;

  RunChart run(const view::ChartView& chart, bool own_window = false) const {
    return {chart, *input.model, input.choice, own_window, memory.over_chart};
  }
};

/// The read-out goes with the mouse; one that marks an event stays.
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
  Rect (*plot)(const Rect&);  ///< pixels its builder thins to; null: none
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
  tables.devices = view::build_device_table(*in.model);
  tables.grid = view::build_rank_grid(tables.ranks.table, memory.grid_metric);
  tables.resources = view::build_resource_charts(*in.model, width, height);
  tables.metrics.view = view::build_metrics_view(*in.model, memory.metrics.choice);
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

/// Another run has other ranks and failures: its log begins with all of them.
void begin_log(LogMemory& log, const RunId& run) {
  if (log.run == run) return;
  log.run = run;
  log.chosen = false;
  log.choice.all = true;
  log.choice.rank = kNoRank;
}

// The one table of panels: what each shows and how it is built and drawn. A new one also needs its
// view in LiveViews and its place in LiveLayout, where it scrolls with the others (scroll_by).
constexpr std::array<LivePanel, LivePage::kPanels> kTable{{
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
       views.log = view::build_log(*in.model, in.texts, memory.log.choice, in.search);
     },
     draw_log_panel},
}};
static_assert(kTable.back().id != nullptr, "LivePage::kPanels is the number of rows");

}  // namespace

void LivePage::draw(const view::LiveInput& input, const LiveLayout& layout,
                    const view::ColumnChoice& columns, LiveMemory& memory, Queue& commands) {
  memory.over_chart = false;
  begin_log(memory.log, input.context.id);
  views_.tables.metrics.live = &input;
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
      key.metrics = memory.metrics.choice;
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
