// A study as a file: its settings as CSV, chart as SVG, tables as Markdown, all of it as one HTML
// page that loads nothing. Pure.
#pragma once

#include <string>
#include <vector>

#include "gui/view/scaling/scaling_view.h"

namespace ringside::view {

/// `heading` stands beside its title. In the light colours; UTF-8, SVG 1.1.
std::string scaling_svg(const ScalingChart& chart, const std::string& heading, int width,
                        int height);
/// The same of the parallel coordinates of a study of settings.
std::string parallel_svg(const ParallelView& view, const std::string& heading, int width,
                         int height);
/// `written`: by what and when.
std::string study_markdown(const StudyFacts& facts, const std::string& written);
std::string study_page(const StudyFacts& facts, const std::string& written);

/// The file of a kind; PNG is for the window alone and gives nothing here.
std::string study_file(const StudyFacts& facts, StudyFileKind kind, ScalingMetric metric,
                       const std::string& written);
/// A file of a study's export. Its name is the study's and a suffix: the page (".html"), Markdown,
/// a CSV of each table ("_published.csv"), an SVG of each chart with data ("_time.svg").
struct StudyFile {
  std::string suffix;
  std::string text;
};
std::vector<StudyFile> study_files(const StudyFacts& facts, const std::string& written);
/// "html"; what a name of such a file ends in.
const char* suffix_of(StudyFileKind kind);

/// A table as Markdown; no text in it can end a cell.
std::string table_markdown(const Table& table);

}  // namespace ringside::view
