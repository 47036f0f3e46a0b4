// The Live page: one table lists its panels, their areas, and how their views are built and drawn.
// Keeps each view until what it shows has changed. Main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/ui/live/live_memory.h"
#include "gui/ui/live/live_panels.h"
#include "gui/view/command.h"
#include "gui/view/live/run_charts.h"
#include "gui/view/window/screen_input.h"

namespace ringside::ui {

class LivePage {
 public:
  /// `columns`: of the table of ranks.
  void draw(const view::LiveInput& input, const LiveLayout& layout,
            const view::ColumnChoice& columns, LiveMemory& memory, view::CommandQueue& commands);
  /// Number of views built so far, for tests of the cache.
  unsigned long builds() const { return builds_; }

 private:
  /// Everything that a panel was built from.
  struct Key {
    bool built = false;
    view::ChartKey chart;
    view::LogChoice log;
    view::TableSort rank_sort{};
    std::string grid_metric;
    std::optional<view::TableTab> table_tab;
    view::MetricsChoice metrics;
    view::GroupsChoice groups;
    std::string id;
    bool operator==(const Key&) const = default;
  };

  LiveViews views_;
  std::vector<Key> keys_;  ///< per panel
  unsigned long builds_ = 0;
};

}  // namespace ringside::ui
