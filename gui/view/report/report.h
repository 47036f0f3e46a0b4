// The comparison of some runs as tables: settings and outcome of each, the samples that each rank
// read, the effect of padding on accuracy, scaling, the published figures, and the findings. Every
// cell has its text and its value, so that text and JSON agree. Plain data and pure functions.
#pragma once

#include <span>
#include <vector>

#include "gui/view/report_run.h"
#include "gui/view/table.h"

namespace ringside::view {

/// The tables in reading order; those without a row are left out. The last run is the main one.
std::vector<Table> build_report(std::span<const ReportRun> runs);

std::vector<Table> run_tables(const ReportRun& run);

}  // namespace ringside::view
