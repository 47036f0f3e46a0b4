// The report of some runs as one HTML page that stands alone: charts as pictures inside it, the
// tables of build_report(), what happened, and the settings. It loads nothing, runs no script, and
// follows the reader's choice of light or dark; on paper it is light. Pure.
#pragma once

#include <span>
#include <string>

#include "gui/view/chart/chart.h"
#include "gui/view/report/report.h"

namespace ringside::view {

/// `written`: by what and when, in the foot of the page. The last run is the one that is asked
/// about.
std::string report_page(std::span<const ReportRun> runs, const std::string& written);

/// A chart in the body of such a page, with what it has come to below it.
void add_figure(const ChartView& chart, int width, int height, std::string& page);

/// The frame of such a page: head, title and foot around a body of HTML.
std::string page_around(const std::string& title, const std::string& body,
                        const std::string& written);

}  // namespace ringside::view
