// The comparison of some runs as an HTML page in the frame of a report. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/view/runs/compare_charts.h"

namespace ringside::view {

/// The tables of compare_tables(), below charts of loss, accuracy and each of these figures or, if
/// none are named, of everything measured and logged. `written`: as in report_page().
std::string compare_page(ComparedRuns runs, const CompareChoice& choice,
                         const std::vector<std::string>& figures, const std::string& written);

}  // namespace ringside::view
