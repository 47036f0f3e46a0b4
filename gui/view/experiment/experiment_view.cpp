#include "gui/view/experiment/experiment_view.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "gui/view/experiment/experiment_parts.h"
#include "gui/view/table_cells.h"

namespace ringside::view {
namespace {

/// Number of characters of UTF-8 text.
std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

void set_widths(Table& table) {
  constexpr float kLetter = 7;  // width of a digit; words are narrower
  constexpr float kLeast = 44;
  constexpr float kMost = 400;
  for (TableColumn& column : table.columns) {
    column.width = 0;
  }
  for (const std::size_t i : text_columns(table)) {
    TableColumn& column = table.columns[i];
    std::size_t longest = letters(head_text(column));
    for (const TableRow& row : table.rows) longest = std::max(longest, letters(row.cells[i].text));
    column.width = std::clamp(kLetter * static_cast<float>(longest), kLeast, kMost);
  }
}

}  // namespace

ExperimentVerdict figures_verdict(const std::vector<ComparedFigure>& figures) {
  std::int64_t same = 0;
  std::int64_t judged = 0;
  std::string others;
  for (const ComparedFigure& one : figures) {
    if (one.match.matched == Matched::kNotJudged) continue;
    ++judged;
    if (one.match.matched == Matched::kYes) ++same;
    if (one.match.matched == Matched::kNo)
      others += (others.empty() ? "" : "; ") + one.name + ": " + one.match.words;
  }
  const auto open = static_cast<std::int64_t>(figures.size()) - judged;
  const std::string rest = open == 0 ? ""
                                     : " " + plural(open, "figure", "figures") +
                                           " cannot be judged: the table below says why of each.";
  if (judged == 0) return not_judged("figures", "No published figure can be judged here." + rest);
  const std::string word = count_text(same) + " of " + count_text(judged) + " match";
  if (same == judged)
    return {"figures", word, Tone::kOk, Shape::kTick,
            "All figures that can be judged match." + rest};
  return {"figures", word, Tone::kWarning, Shape::kWarningTriangle, others + "." + rest};
}

std::string gate_words(double time_cut, double val_accuracy, const launch::PublishedGate& goal) {
  return "time saved " + percent1_text(time_cut) + " (goal: at least " +
         percent_text(goal.least_time_cut) + "), validation accuracy " +
         accuracy_text(val_accuracy) + " (goal: above " + percent_text(goal.val_accuracy_above) +
         ")";
}

ExperimentVerdict gate_verdict(bool fast_enough, bool accurate_enough, std::string text) {
  if (fast_enough && accurate_enough)
    return {"gate", "Pass", Tone::kOk, Shape::kTick, std::move(text)};
  const char* word = fast_enough ? "Fail: accuracy" : accurate_enough ? "Fail: time" : "Fail: both";
  return {"gate", word, Tone::kError, Shape::kCross, std::move(text)};
}

ExperimentVerdict not_judged(std::string key, std::string why) {
  return {std::move(key), "Not judged", Tone::kDim, Shape::kRing, std::move(why)};
}

void add_source_tables(const launch::Published& published, const std::string& run,
                       std::vector<Table>& tables) {
  constexpr std::string_view kKey = "source_";
  std::int64_t count = 0;
  for (const Table& there : tables) count += there.key.starts_with(kKey) ? 1 : 0;
  for (const launch::PublishedTable& source : published.tables) {
    Table table{std::string(kKey) + std::to_string(count + 1), "As published: " + source.title};
    const bool known = std::any_of(tables.begin(), tables.end(),
                                   [&](const Table& there) { return there.title == table.title; });
    if (known) continue;
    ++count;
    table.run = run;
    for (std::size_t i = 0; i < source.columns.size(); ++i)
      table.columns.push_back({"column_" + std::to_string(i), source.columns[i], "",
                               i > 0 ? Align::kRight : Align::kLeft});
    for (const auto& row : source.rows) {
      std::vector<Cell> cells;
      for (const auto& cell : row) cells.push_back(word_cell(cell));
      add_row(table, std::move(cells));
    }
    tables.push_back(std::move(table));
  }
}

void finish(ExperimentView& view) {
  std::erase_if(view.tables, [](const Table& table) { return table.rows.empty(); });
  for (Table& table : view.tables) set_widths(table);
}

std::vector<Table> experiment_tables(const ExperimentView& view) {
  std::vector<Table> tables = view.tables;
  if (view.verdicts.empty()) return tables;
  Table table{"experiment", "Against the source: " + view.title};
  table.run = view.run;
  table.columns = {{"question", "question"}, {"verdict", "verdict"}, {"text", ""}};
  for (const ExperimentVerdict& one : view.verdicts)
    add_row(table, {text_cell(one.key), text_cell(one.word, one.tone), text_cell(one.text)});
  tables.insert(tables.begin(), std::move(table));
  return tables;
}

std::string experiment_tsv(const ExperimentView& view) {
  std::string text;
  for (const Table& table : experiment_tables(view))
    text += (text.empty() ? "" : "\n") + table.title + "\n" + table_tsv(table);
  return text;
}

}  // namespace ringside::view
