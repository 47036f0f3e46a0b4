// Cells and tables of the report; shared by its files only. Pure.
#pragma once

#include "gui/analysis/scaling/speedup.h"
#include "gui/view/report/report.h"
#include "gui/view/table_cells.h"

namespace ringside::view {

inline Cell share_cell(double value) { return number_cell(value, accuracy_text); }
inline Cell seconds_cell(double value) {
  return number_cell(value, [](double v) { return decimal_text(v, 2); });
}

inline Cell rank_cell(Rank rank) { return {std::int64_t{rank}, rank_label(rank)}; }

/// A table about one run.
inline Table table_about(const ReportRun& run, std::string key, std::string title) {
  Table table{std::move(key), std::move(title)};
  table.run = run.id;
  return table;
}

bool has_ended(const ReportRun& run);
/// How `run` compares with its baseline.
analysis::Speedup speedup_of(const ReportRun& run);
/// Where the rest of the ideal speedup went; without rows where there is no speedup.
Table waterfall_table(const ReportRun& run);

std::vector<Table> card_tables(std::span<const ReportRun> runs);
std::vector<Table> sample_tables(const ReportRun& run);
Table findings_table(const ReportRun& run);

}  // namespace ringside::view
