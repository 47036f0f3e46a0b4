// The report of some runs as one self-contained HTML page: embedded charts, the tables of
// build_report(), the events, and the settings. It loads nothing, runs no script, and follows the
// reader's choice of light or dark; in print it is light. Pure.
#pragma once

#include <span>
#include <string>

#include "gui/view/chart/chart.h"
#include "gui/view/report/report.h"

namespace ringside::view {

/// `written`: for the foot of the page, by which program and when it was written. The last run is
/// the main one.
std::string report_page(std::span<const ReportRun> runs, const std::string& written);

/// Adds a chart to the body of such a page, with its final value below.
void add_figure(const ChartView& chart, int width, int height, std::string& page);

/// The frame of such a page: head, title and foot around a body in HTML.
std::string page_around(const std::string& title, const std::string& body,
                        const std::string& written);

}  // namespace ringside::view
