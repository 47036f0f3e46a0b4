#include "gui/view/report/scaling_files.h"

#include <fmt/format.h>

#include "gui/view/markup.h"
#include "gui/view/number_format.h"
#include "gui/view/report/report_page.h"
#include "gui/view/report/table_html.h"
#include "gui/view/table_csv.h"
#include "protocol/base/printable.h"

namespace ringside::view {
namespace {

constexpr int kFileWidth = 1200, kFileHeight = 480;
constexpr int kSmallFileWidth = 720, kSmallFileHeight = 380;

std::string markdown_text(const std::string& text) {
  std::string safe;
  for (const char letter : printable_line(text)) {
    if (letter == '|' || letter == '\\' || letter == '`' || letter == '<' || letter == '*')
      safe += '\\';
    safe += letter;
  }
  return safe;
}

std::string heading_of(const StudyFacts& facts) {
  return facts.study.head.study + "  " + facts.recipe;
}

std::string chart_of(const StudyFacts& facts, const analysis::Scaling& scaling,
                     ScalingMetric metric, int width, int height) {
  const ParallelView settings = build_parallel_view(facts);
  if (!settings.axes.empty()) return parallel_svg(settings, heading_of(facts), width, height);
  return scaling_svg(build_scaling_chart(facts, scaling, metric), heading_of(facts), width, height);
}

/// Adds a chart of each quantity against devices, the speedup first and large; for a study of
/// settings, its only chart.
void add_figures(const StudyFacts& facts, const ScalingView& view, std::string& body) {
  const bool settings = !view.parallel.axes.empty();
  if (!settings && facts.study.of_settings()) return;
  const analysis::Scaling scaling = scaling_of(facts);
  const std::string& caption = settings ? view.parallel.subtitle : view.chart.subtitle;
  body += "<figure>" + chart_of(facts, scaling, ScalingMetric::kSpeedup, kFileWidth, kFileHeight);
  add_element(body, "figcaption", caption);
  body += "</figure>\n";
  if (settings) return;
  body += "<div class=\"small\">\n";
  for (int i = 1; i < static_cast<int>(ScalingMetric::kCount); ++i) {
    body +=
        "<figure>" +
        chart_of(facts, scaling, static_cast<ScalingMetric>(i), kSmallFileWidth, kSmallFileHeight) +
        "</figure>\n";
  }
  body += "</div>\n";
}

}  // namespace

std::string table_markdown(const Table& table) {
  if (table.rows.empty()) return {};
  const std::vector<std::size_t> shown = text_columns(table);
  std::string text = "## " + markdown_text(table.title) + "\n\n|";
  for (const std::size_t i : shown) text += " " + markdown_text(head_text(table.columns[i])) + " |";
  text += "\n|";
  for (const std::size_t i : shown)
    text += table.columns[i].align == Align::kRight ? "---:|" : "---|";
  text += "\n";
  for (const TableRow& row : table.rows) {
    text += "|";
    for (const std::size_t i : shown) text += " " + markdown_text(row.cells[i].text) + " |";
    text += "\n";
  }
  for (const std::string& note : table.notes) text += "\n" + markdown_text(note) + "\n";
  return text + "\n";
}

std::string study_markdown(const StudyFacts& facts, const std::string& written) {
  const ScalingView view = build_scaling_view(facts, ScalingMetric::kSpeedup);
  std::string text = "# Study " + markdown_text(view.name) + ": " +
                     markdown_text(plain(view.head)) + "\n\n" + markdown_text(view.progress);
  if (!view.baseline.empty()) text += "; " + markdown_text(plain(view.baseline));
  text += "\n\n";
  if (!view.goal.empty()) text += markdown_text(view.goal) + "\n\n";
  text += table_markdown(view.table);
  if (!view.result.empty()) text += markdown_text(view.result) + "\n\n";
  for (const Table& table : view.more) text += table_markdown(table);
  return text + markdown_text(written) + "\n";
}

std::string study_page(const StudyFacts& facts, const std::string& written) {
  const ScalingView view = build_scaling_view(facts, ScalingMetric::kSpeedup);
  std::string body;
  add_element(body, "p", plain(view.head) + ", " + view.progress, " class=\"note\"");
  const bool scales = !facts.study.of_settings();
  if (scales) add_element(body, "p", plain(view.baseline), " class=\"note\"");
  if (!view.goal.empty()) add_element(body, "p", view.goal, " class=\"note\"");
  if (!view.problem.empty()) add_element(body, "p", view.problem, class_attribute(Tone::kWarning));
  add_figures(facts, view, body);
  body += table_html(view.table);
  if (!view.result.empty())
    add_element(body, "p", view.result, view.fair == false ? class_attribute(Tone::kWarning) : "");
  for (const Table& table : view.more) body += table_html(table);
  return page_around("Ringside study " + view.name + ": " + facts.study.head.title, body, written);
}

std::string study_file(const StudyFacts& facts, StudyFileKind kind, ScalingMetric metric,
                       const std::string& written) {
  const analysis::Scaling scaling = scaling_of(facts);
  switch (kind) {
    case StudyFileKind::kCsv:
      return table_csv(build_settings_table(facts, scaling));
    case StudyFileKind::kHtml:
      return study_page(facts, written);
    case StudyFileKind::kMarkdown:
      return study_markdown(facts, written);
    case StudyFileKind::kSvg:
      return chart_of(facts, scaling, metric, kFileWidth, kFileHeight);
    case StudyFileKind::kPng:
      break;
  }
  return {};
}

std::vector<StudyFile> study_files(const StudyFacts& facts, const std::string& written) {
  const analysis::Scaling scaling = scaling_of(facts);
  std::vector<StudyFile> files{{".html", study_page(facts, written)},
                               {".md", study_markdown(facts, written)},
                               {".csv", table_csv(build_settings_table(facts, scaling))}};
  for (const Table& table : build_study_tables(facts, scaling))
    if (!table.rows.empty()) files.push_back({"_" + table.key + ".csv", table_csv(table)});
  const ParallelView settings = build_parallel_view(facts);
  if (!settings.axes.empty())
    files.push_back(
        {"_settings.svg", parallel_svg(settings, heading_of(facts), kFileWidth, kFileHeight)});
  for (int i = 0; i < static_cast<int>(ScalingMetric::kCount); ++i) {
    const auto metric = static_cast<ScalingMetric>(i);
    const ScalingChart chart = build_scaling_chart(facts, scaling, metric);
    if (!chart.empty.empty()) continue;
    files.push_back({std::string("_") + key_of(metric) + ".svg",
                     scaling_svg(chart, heading_of(facts), kFileWidth, kFileHeight)});
  }
  return files;
}

const char* suffix_of(StudyFileKind kind) {
  constexpr const char* kSuffixes[] = {"csv", "html", "md", "svg", "png"};
  return kSuffixes[static_cast<std::size_t>(kind)];
}

}  // namespace ringside::view
