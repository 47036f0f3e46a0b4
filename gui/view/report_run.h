// A run as input of the report, and helpers for tables about one run. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gui/analysis/scaling/link_probe.h"
#include "gui/analysis/scaling/speedup.h"
#include "gui/launch/preset_file.h"
#include "gui/model/run_model_fwd.h"
#include "gui/runs/chart_note.h"
#include "gui/runs/log_end.h"
#include "gui/view/table_cells.h"

namespace ringside::view {

struct ReportRun {
  std::string id;
  std::string label;  ///< "#12"
  std::string name;
  std::string state;
  std::vector<runs::ChartNote> notes{};
  const model::RunModel* model = nullptr;     ///< never null
  const model::RunModel* baseline = nullptr;  ///< what the run is compared with; may be null
  std::string baseline_label;
  runs::LogDamage damage;
  double seconds = 0;                           ///< duration of the whole run; NaN if unknown
  const launch::NamedPreset* preset = nullptr;  ///< the preset of its settings; may be null
  std::shared_ptr<const analysis::LinkProbe> probe{};  ///< probe of its devices; may be null
};

inline Cell share_cell(double value) { return number_cell(value, accuracy_text); }
inline Cell seconds_cell(double value) {
  return number_cell(value, [](double v) { return decimal_text(v, 2); });
}

inline Cell rank_cell(Rank rank) { return {std::int64_t{rank}, rank_label(rank)}; }

/// An empty table about one run.
inline Table table_about(const ReportRun& run, std::string key, std::string title) {
  Table table{std::move(key), std::move(title)};
  table.run = run.id;
  return table;
}

bool has_ended(const ReportRun& run);
/// The comparison of `run` with its baseline.
analysis::Speedup speedup_of(const ReportRun& run);
/// Whether it can be compared with its baseline.
bool has_speedup(const ReportRun& run);

}  // namespace ringside::view
