#include "gui/view/report/scaling_files.h"

#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "gui/view/markup.h"
#include "gui/view/number_format.h"
#include "gui/view/report/report_page.h"
#include "gui/view/report/table_html.h"
#include "protocol/base/printable.h"

namespace ringside::view {
namespace {

constexpr int kFileWidth = 1200, kFileHeight = 480;
constexpr int kSmallFileWidth = 720, kSmallFileHeight = 380;

/// Quoted where it has to be; no spreadsheet takes it for a formula.
std::string csv_text(const std::string& text) {
  std::string safe = printable_line(text);
  if (!safe.empty() && std::string_view("=+-@").find(safe.front()) != std::string_view::npos)
    safe.insert(0, 1, '\'');
  if (safe.find_first_of(",\"\n\r") == safe.npos) return safe;
  std::string quoted = "\"";
  for (const char letter : safe)
    quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

std::string csv_cell(const Cell& cell) {
  if (const auto* flag = std::get_if<bool>(&cell.value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&cell.value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&cell.value))
    return std::isfinite(*number) ? fmt::format("{}", *number) : std::string();
  const auto* text = std::get_if<std::string>(&cell.value);
  return text == nullptr ? std::string() : csv_text(*text);
}

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
  return scaling_svg(build_scaling_chart(facts, scaling, metric), heading_of(facts), width, height);
}

/// Each quantity against devices, the speedup first and large.
void add_figures(const StudyFacts& facts, const std::string& caption, std::string& body) {
  const analysis::Scaling scaling = scaling_of(facts);
  body += "<figure>" + chart_of(facts, scaling, ScalingMetric::kSpeedup, kFileWidth, kFileHeight);
  add_element(body, "figcaption", caption);
  body += "</figure>\n<div class=\"small\">\n";
  for (int i = 1; i < static_cast<int>(ScalingMetric::kCount); ++i) {
    body +=
        "<figure>" +
        chart_of(facts, scaling, static_cast<ScalingMetric>(i), kSmallFileWidth, kSmallFileHeight) +
        "</figure>\n";
  }
  body += "</div>\n";
}

}  // namespace

std::string settings_csv(const Table& table) {
  std::string text;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    text += (i > 0 ? "," : "") + csv_text(table.columns[i].key);
  text += "\r\n";
  for (const TableRow& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      text += (i > 0 ? "," : "") + csv_cell(row.cells[i]);
    text += "\r\n";
  }
  return text;
}

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
  if (scales) add_figures(facts, view.chart.subtitle, body);
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
      return settings_csv(build_settings_table(facts, scaling));
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
                               {".csv", settings_csv(build_settings_table(facts, scaling))}};
  for (const Table& table : build_study_tables(facts, scaling))
    if (!table.rows.empty()) files.push_back({"_" + table.key + ".csv", settings_csv(table)});
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
