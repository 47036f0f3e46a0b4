// State of the Live page between frames: open tabs, a sort order, a search. Plain data; main
// thread.
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
  std::string run;  ///< run that the choice of a tab belongs to
  view::LogChoice choice;
  bool follow = true;
  bool low = false;        ///< the window is too low for more than its tab bar
  bool open = false;       ///< in a low window: drawn over the rank table
  bool chosen = false;     ///< a tab was chosen by hand, so a failure does not switch it
  float drawn_height = 0;  ///< in the last frame: follow mode scrolls if it grew
  view::LogSelection selection;
  bool wrap = false;  ///< wraps long lines
  struct Rows {
    std::uint64_t built = 0;           ///< revision of the lines that were wrapped
    std::size_t letters = 0;           ///< characters that fit in a row
    std::vector<std::uint32_t> first;  ///< first row of each line, and finally the number of rows
  } rows;                              ///< of wrapped lines
};

struct MetricsMemory {
  view::MetricsChoice choice;
  view::MetricCharts charts;  ///< the charts on the screen
  double pointed_step = -1;   ///< step under the mouse, in these charts or in those of resources;
                              ///< below 0: none
  double menu_step = -1;      ///< where the menu of a chart was opened
};

/// State of this page between frames that only the window needs.
struct LiveMemory {
  std::optional<view::TableTab> table_tab;  ///< not chosen: depends on the number of ranks
  view::TableSort rank_sort{};
  std::string grid_metric = "own";  ///< column of the rank table
  int chart_tab = 0;                ///< if accuracy and step time share a panel
  MetricsMemory metrics;
  view::GroupsChoice groups;  ///< of the run of the log
  LogMemory log;
  std::map<std::string, Rect> chart_areas;  ///< charts that are fully visible, for their images
  bool over_chart = false;                  ///< in this frame
  double menu_step = -1;                    ///< where the menu of a chart was opened
  bool cursor_of_mouse = false;  ///< the cursor follows the mouse; otherwise it marks an event
};

}  // namespace ringside::ui
