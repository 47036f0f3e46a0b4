// Cells and tables of the report; shared by its files only. Pure.
#pragma once

#include <cmath>

#include "gui/analysis/speedup.h"
#include "gui/view/number_format.h"
#include "gui/view/report/report.h"

namespace ringside::view {

inline ReportCell words(std::string text) {
  if (text.empty()) return {std::string(kDash), std::monostate{}};
  return {text, text};
}
inline ReportCell unknown_cell() { return {std::string(kDash), std::monostate{}}; }
inline ReportCell whole(std::int64_t value) { return {count_text(value), value}; }
inline ReportCell yes_no(bool value) { return {value ? "yes" : "no", value}; }
/// NaN is not known.
template <class Format>
ReportCell number(double value, Format&& format) {
  if (std::isnan(value)) return unknown_cell();
  return {format(value), value};
}
inline ReportCell share(double value) { return number(value, accuracy_text); }
inline ReportCell seconds(double value) {
  return number(value, [](double v) { return decimal_text(v, 2); });
}

/// How `run` compares with its baseline.
analysis::Speedup speedup_of(const ReportRun& run);

std::vector<ReportTable> card_tables(std::span<const ReportRun> runs);
std::vector<ReportTable> sample_tables(const ReportRun& run);
std::vector<ReportTable> published_tables(const ReportRun& run);
ReportTable findings_table(const ReportRun& run);

}  // namespace ringside::view
