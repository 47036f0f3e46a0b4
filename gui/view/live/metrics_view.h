// The scalars of a run (Scalar records, of any program) as small charts: the names that are shown,
// their order, and the chart of each. A chart is built when it is requested and cached until its
// own name has changed. Pure except for the cache of MetricCharts; one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gui/model/run_model_fwd.h"
#include "gui/model/scalar_store.h"
#include "gui/runs/chart_note.h"
#include "gui/view/cached.h"
#include "gui/view/chart/chart.h"

namespace ringside::view {

namespace label {
inline constexpr const char* kSearchMetrics = "Search by name";
}  // namespace label

enum class MetricOrder : std::uint8_t { kLogged, kName, kChanged };
/// Labels of MetricOrder: in order of their first record, by name, and latest change first.
inline constexpr std::array<const char*, 3> kMetricOrders{"Logged", "Name", "Changed"};

struct MetricsChoice {
  std::string search;               ///< a part of the name, ignoring case
  std::vector<std::string> pinned;  ///< shown first; names of this run or of others
  MetricOrder order = MetricOrder::kLogged;
  bool operator==(const MetricsChoice&) const = default;

  bool is_pinned(const std::string& name) const;
  void toggle_pin(const std::string& name);
};

struct MetricsView {
  std::vector<std::string> names;  ///< as logged, in the order of their charts
  std::string count;               ///< "200", "12 of 200"
  Sentence empty;                  ///< instead of charts
};
MetricsView build_metrics_view(const model::RunModel& model, const MetricsChoice& choice);

/// The chart of one name: up to kMaxRankLines ranks as lines, with a band if they are thinned or if
/// there are more, and their mean. Its `aside` is the latest value; its `subtitle` says if that is
/// a mean. It follows the axis (time, or else steps), the window and the hidden ranks of the
/// choice.
ChartView build_metric_chart(const model::RunModel& model, const model::ScalarName& name,
                             const ChartChoice& choice, int pixels, int height);
/// The name and the values at the step nearest to `x` of its chart, a line each.
std::string metric_readout(const model::RunModel& model, const model::ScalarName& name,
                           const ChartChoice& choice, double x);

class MetricCharts {
 public:
  struct Source {
    const model::RunModel& model;
    const std::string& run;
    std::uint64_t numbers;  ///< names are checked for changes only if this has changed
    const ChartChoice& choice;
    std::span<const runs::ChartNote> notes = {};
  };
  /// Discards charts that were not requested since the last call, and all charts of other runs.
  void begin_frame(const std::string& run);
  /// Valid until the next frame begins; null if the run has no such name.
  const ChartView* chart(const Source& source, const std::string& name, int pixels, int height);
  /// Number of charts built so far, for tests of the cache.
  unsigned long builds() const { return builds_; }

 private:
  struct Key {
    std::uint64_t revision = 0;
    bool time = false;
    model::Window window;
    std::vector<Rank> hidden;
    std::vector<runs::ChartNote> notes;
    int pixels = 0;
    int height = 0;
    bool operator==(const Key&) const = default;
  };
  struct Kept {
    std::uint64_t numbers = 0;
    std::uint64_t revision = 0;
    bool asked = true;
    Cached<Key, ChartView> chart;
  };
  std::string run_;
  std::unordered_map<std::string, Kept> kept_;
  unsigned long builds_ = 0;
};

}  // namespace ringside::view
