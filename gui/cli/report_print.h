// The tables of a report as text for a terminal and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/cli/json.h"
#include "gui/view/report/report.h"

namespace ringside::cli {

/// Tables as people read them; what does not fit is not cut.
std::string report_text(const std::vector<view::ReportTable>& tables, bool color);
/// The same tables: rows as objects, unknown cells as null.
Json report_json(const std::vector<view::ReportTable>& tables);

}  // namespace ringside::cli
