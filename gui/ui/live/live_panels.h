// The panels of the Live place: what they show, where they lie, and one free function each that
// draws it: a const view in, commands out. What each remembers between frames is in LiveMemory; the
// table of them is in live_page.cpp. Main thread, inside a frame.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gui/ui/chart/chart.h"
#include "gui/ui/layout.h"
#include "gui/ui/live/live_memory.h"
#include "gui/ui/rect.h"
#include "gui/view/command.h"
#include "gui/view/live/device_table.h"
#include "gui/view/live/event_strip.h"
#include "gui/view/live/log_view.h"
#include "gui/view/live/metrics_view.h"
#include "gui/view/live/rank_grid.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/live/resource_charts.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/live/speedup_view.h"
#include "gui/view/live/step_bars.h"
#include "gui/view/window/screen_input.h"

namespace ringside::ui {

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

  void each(auto&& visit) {
    for (Rect* area :
         {&events, &loss, &accuracy, &step_time, &speedup, &breakdown, &ranks, &logs, &logs_open})
      visit(*area);
  }
};

LiveLayout live_layout(const FrameLayout& frame, float scale, const Arrangement& arrangement = {});

/// A chart with the run it shows, so that a pixel can be turned back into a step.
struct RunChart {
  const view::ChartView& chart;
  const model::RunModel& model;
  const view::ChartChoice& choice;
  const view::RunContext& context;
  bool own_window;    ///< shows its own steps until a window is chosen
  bool& over_chart;   ///< set while the mouse is over it
  double& menu_step;  ///< where its menu was opened; below 0: beside the plot
};

void draw_events(const view::EventStripView& strip, const Rect& area, view::CommandQueue& commands);
void draw_loss(const RunChart& run, const Rect& area, view::CommandQueue& commands);
void draw_accuracy(const RunChart& run, const Rect& area, view::CommandQueue& commands);
void draw_step_time(const RunChart& run, const Rect& area, view::CommandQueue& commands);
/// Draws both charts in one panel, as tabs.
void draw_shared_charts(const RunChart& accuracy, const RunChart& step_time, const Rect& area,
                        LiveMemory& memory, view::CommandQueue& commands);
void draw_speedup(const view::SpeedupView& card, const Rect& area, view::CommandQueue& commands);
void draw_step_bars(const view::StepBarsView& bars, const Rect& area);
/// The metrics by name; `live` is the data of the charts on the screen.
struct MetricsPanel {
  view::MetricsView view;
  const view::LiveInput* live = nullptr;  ///< input of this frame
};

/// The tables of the panel, which shows one at a time.
struct TableViews {
  view::RankTableView ranks;
  view::RankGridView grid;
  view::DeviceTableView devices;
  view::GroupsView groups;
  view::Table nodes;
  std::vector<view::ChartView> resources;
  MetricsPanel metrics;
};

struct LiveViews {
  view::EventStripView events;
  view::ChartView loss;
  view::ChartView accuracy;
  view::ChartView step_time;
  view::SpeedupView speedup;
  view::StepBarsView bars;
  TableViews tables;
  view::LogView log;
};

/// Draws a line of text at the end of `body` and removes its space from `body`.
void draw_foot(const std::string& text, Rect& body);
/// Draws scrollable text in place of missing data.
void draw_words(const view::Sentence& words, const Rect& body);
/// Returns the shown tab: the chosen one, or the grid if there are many ranks.
view::TableTab shown_table_tab(const LiveMemory& memory, std::size_t ranks);
/// `columns`: the columns of the rank table.
void draw_tables(const TableViews& views, const view::ColumnChoice& columns, const Rect& area,
                 LiveMemory& memory, view::CommandQueue& commands);
/// Draws the chevron around `middle` that closes or opens a dock.
void dock_button(view::Dock dock, bool closed, ImVec2 middle, view::CommandQueue& commands);
/// `header`: area of the choice of the quantity.
void draw_rank_grid(const view::RankGridView& grid, const Rect& header, Rect body,
                    LiveMemory& memory, view::CommandQueue& commands);
void draw_groups(const view::GroupsView& groups, Rect body, view::GroupsChoice& choice,
                 view::CommandQueue& commands);
/// `pointed_step`: set to the step under the mouse if that is over a chart.
void draw_resources(const std::vector<view::ChartView>& charts, const model::RunModel& model,
                    const Rect& body, double& pointed_step);
/// `header` contains the search and the order, if they fit.
void draw_metrics(const MetricsPanel& metrics, Rect header, Rect body, MetricsMemory& memory,
                  view::CommandQueue& commands);
struct LogPanel {
  const view::LogView& log;
  bool collapsed = false;    ///< only the bar with the tabs
  bool over = false;         ///< opened over the rank table
  bool closed = false;       ///< collapsed because its dock was closed
  bool has_earlier = false;  ///< the files have earlier lines
};
void draw_log(const LogPanel& panel, const Rect& area, LogMemory& memory,
              view::CommandQueue& commands);
/// Draws the visible lines of the log; they can be selected with the mouse and copied.
void draw_log_lines(const LogPanel& panel, const Rect& body, LogMemory& memory,
                    view::CommandQueue& commands);
/// Returns the command that writes the shown lines to a file, with time, rank and stream.
view::Command save_lines(const view::LogView& log, const view::LogChoice& choice);

/// Returns the area between the edges of the plot, whose width in pixels limits the points of a
/// chart.
Rect loss_plot(const Rect& panel);
Rect accuracy_plot(const Rect& panel);
Rect step_time_plot(const Rect& panel);
/// Returns the plot of one of the resource charts.
Rect resource_plot(const Rect& panel);

}  // namespace ringside::ui
