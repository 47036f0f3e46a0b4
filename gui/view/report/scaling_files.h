// Writes a study as files: its settings as CSV, charts as SVG, tables as Markdown, and everything
// as one HTML page that loads nothing. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/view/scaling/scaling_view.h"

namespace ringside::view {

/// Draws the chart with `heading` beside its title, in the light colours; UTF-8, SVG 1.1.
std::string scaling_svg(const ScalingChart& chart, const std::string& heading, int width,
                        int height);
/// Draws the parallel coordinates of a study of settings in the same way.
std::string parallel_svg(const ParallelView& view, const std::string& heading, int width,
                         int height);
/// Returns the tables as Markdown. `written`: program and time of the export.
std::string study_markdown(const StudyFacts& facts, const std::string& written);
std::string study_page(const StudyFacts& facts, const std::string& written);

/// Returns the file of a kind; empty for PNG, which only the window can draw.
std::string study_file(const StudyFacts& facts, StudyFileKind kind, ScalingMetric metric,
                       const std::string& written);
/// A file of a study's export. Its name is the study's name and a suffix: the page (".html"),
/// Markdown, a CSV of each table ("_published.csv"), an SVG of each chart with data ("_time.svg").
struct StudyFile {
  std::string suffix;
  std::string text;
};
std::vector<StudyFile> study_files(const StudyFacts& facts, const std::string& written);
/// Returns the extension of such a file: "html".
const char* suffix_of(StudyFileKind kind);

/// Returns a table as Markdown; its texts are escaped so that none ends a cell.
std::string table_markdown(const Table& table);

}  // namespace ringside::view
