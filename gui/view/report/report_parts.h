// Tables that several source files of the report share. Pure.
#pragma once

#include <span>
#include <vector>

#include "gui/view/report/report.h"
#include "gui/view/report_run.h"
#include "gui/view/table_cells.h"

namespace ringside::view {

/// The losses between the ideal speedup and the measured one; no rows without a speedup.
Table waterfall_table(const ReportRun& run);

std::vector<Table> card_tables(std::span<const ReportRun> runs);
std::vector<Table> sample_tables(const ReportRun& run);
Table findings_table(const ReportRun& run);

}  // namespace ringside::view
