// The whole comparison of some runs as tables: what each was told to do and did, who read which
// sample, what repeats do to an accuracy, how it scales, what its source published, and what the
// detectors say. Every cell carries its text and its value, so that a print and JSON say the same.
// Plain data and pure functions.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gui/analysis/scaling/link_probe.h"
#include "gui/launch/preset_file.h"
#include "gui/model/run_model_fwd.h"
#include "gui/runs/log_end.h"
#include "gui/view/table.h"

namespace ringside::view {

struct ReportRun {
  std::string id;
  std::string label;  ///< "#12"
  std::string name;
  std::string state;
  const model::RunModel* model = nullptr;     ///< never null
  const model::RunModel* baseline = nullptr;  ///< what it is compared with; may be null
  std::string baseline_label;
  runs::LogDamage damage;
  double seconds = 0;                           ///< of the whole run; NaN where not known
  const launch::NamedPreset* preset = nullptr;  ///< where its settings came from; may be null
  std::shared_ptr<const analysis::LinkProbe> probe{};  ///< of its devices; may be null
};

/// The tables in the order in which they are read; those without a row are left out. The last run
/// is the one that is asked about.
std::vector<Table> build_report(std::span<const ReportRun> runs);

/// Tables about one run alone.
std::vector<Table> run_tables(const ReportRun& run);

/// Whether it can be compared with its baseline.
bool has_speedup(const ReportRun& run);

/// What the source of its preset published, beside what the run did; nothing without a preset.
std::vector<Table> published_tables(const ReportRun& run);

}  // namespace ringside::view
