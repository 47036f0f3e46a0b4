// What the window remembers of the Live page between frames: open tabs, an order, a search. Plain
// data; main thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gui/ui/rect.h"
#include "gui/view/choices.h"
#include "gui/view/live/groups_view.h"
#include "gui/view/live/log_selection.h"
#include "gui/view/live/log_view.h"
#include "gui/view/live/metrics_view.h"
#include "gui/view/table.h"

namespace ringside::ui {

struct LogMemory {
  std::string run;  ///< the choice of a tab is of this run
  view::LogChoice choice;
  bool follow = true;
  bool low = false;        ///< the window is too low for more than its tab bar
  bool open = false;       ///< on a low window: over the rank table
  bool chosen = false;     ///< a tab was chosen by hand: a failure no longer changes it
  float drawn_height = 0;  ///< last time: following scrolls when it grew
  view::LogSelection selection;
  bool wrap = false;  ///< long lines go on in the row below
  struct Rows {
    std::uint64_t built = 0;           ///< the lines that they are of
    std::size_t letters = 0;           ///< that have room in a row
    std::vector<std::uint32_t> first;  ///< row of each line, at last how many there are
  } rows;                              ///< of wrapped lines
};

struct MetricsMemory {
  view::MetricsChoice choice;
  view::MetricCharts charts;  ///< those on the screen
};

/// What the window itself remembers of this place.
struct LiveMemory {
  std::optional<view::TableTab> table_tab;  ///< none chosen: by the number of ranks
  view::TableSort rank_sort{};
  std::string grid_metric = "own";  ///< column of the rank table
  int chart_tab = 0;                ///< where accuracy and step time share a panel
  MetricsMemory metrics;
  view::GroupsChoice groups;  ///< of the run of the log
  LogMemory log;
  std::map<std::string, Rect> chart_areas;  ///< charts fully on the screen, for their images
  bool over_chart = false;                  ///< the mouse is, in this frame
  bool cursor_of_mouse = false;  ///< the cursor stands where the mouse was; else at an event
};

}  // namespace ringside::ui
