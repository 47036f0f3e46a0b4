// The Live place: one table says which panels there are, how each view is built and how it is
// drawn. Keeps the views that were built until what they show has changed. Main thread.
#pragma once

#include <array>
#include <cstddef>

#include "gui/ui/live/live_panels.h"
#include "gui/ui/window/layout.h"
#include "gui/ui/window/screen.h"

namespace ringside::ui {

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

class LivePage {
 public:
  static constexpr std::size_t kPanels = 8;

  /// `columns`: of the table of ranks.
  void draw(const view::LiveInput& input, const LiveLayout& layout,
            const view::ColumnChoice& columns, LiveMemory& memory, view::CommandQueue& commands);
  /// Views built so far, for tests of the cache.
  unsigned long builds() const { return builds_; }

 private:
  /// Everything a panel was built from.
  struct Key {
    bool built = false;
    view::ChartKey chart;
    view::LogChoice log;
    view::TableSort rank_sort{};
    std::string grid_metric;
    view::MetricsChoice metrics;
    std::string id;
    bool operator==(const Key&) const = default;
  };

  LiveViews views_;
  std::array<Key, kPanels> keys_{};
  unsigned long builds_ = 0;
};

}  // namespace ringside::ui
