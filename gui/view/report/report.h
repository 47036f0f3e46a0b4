// The whole comparison of some runs as tables: what each was told to do and did, who read which
// sample, what repeats do to an accuracy, how it scales, what its source published, and what the
// detectors say. Every cell carries its text and its value, so that a print and JSON say the same.
// Plain data and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gui/launch/preset_file.h"
#include "gui/model/run_model_fwd.h"

namespace ringside::view {

struct ReportCell {
  std::string text;
  std::variant<std::monostate, bool, std::int64_t, double, std::string>
      value;  ///< monostate: not known
};

struct ReportColumn {
  std::string id;  ///< key in JSON
  std::string title;
  bool right = false;
};

struct ReportTable {
  std::string id;
  std::string title;
  std::string run;  ///< the one run it is about; empty: all of them
  std::vector<ReportColumn> columns;
  std::vector<std::vector<ReportCell>> rows;
  bool transposed = false;  ///< printed with a line per column: few rows, many columns
  std::vector<std::string> notes;
};

struct ReportRun {
  std::string id;
  std::string label;  ///< "#12"
  std::string name;
  std::string state;
  const model::RunModel* model = nullptr;     ///< never null
  const model::RunModel* baseline = nullptr;  ///< what it is compared with; may be null
  std::string baseline_label;
  std::uint64_t lost_records = 0;
  double seconds = 0;                           ///< of the whole run; NaN where not known
  const launch::NamedPreset* preset = nullptr;  ///< where its settings came from; may be null
};

/// The tables in the order in which they are read; those without a row are left out. The last run
/// is the one that is asked about.
std::vector<ReportTable> build_report(std::span<const ReportRun> runs);

/// Those of one run alone.
std::vector<ReportTable> run_tables(const ReportRun& run);

}  // namespace ringside::view
