// The whole comparison of some runs as tables: what each was told to do and did, who read which
// sample, what repeats do to an accuracy, how it scales, what its source published, and what the
// detectors say. Every cell carries its text and its value, so that a print and JSON say the same.
// Plain data and pure functions.
#pragma once

#include <span>
#include <vector>

#include "gui/view/report_run.h"
#include "gui/view/table.h"

namespace ringside::view {

/// The tables in the order in which they are read; those without a row are left out. The last run
/// is the one that is asked about.
std::vector<Table> build_report(std::span<const ReportRun> runs);

/// Tables about one run alone.
std::vector<Table> run_tables(const ReportRun& run);

}  // namespace ringside::view
