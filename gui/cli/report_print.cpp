#include "gui/cli/report_print.h"

#include <algorithm>
#include <type_traits>

#include "gui/cli/terminal.h"

namespace ringside::cli {
namespace {

using view::ReportTable;

Json cell_json(const view::ReportCell& cell) {
  return std::visit(
      [](const auto& value) -> Json {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Value, double>) {
          return number_or_null(value);
        } else {
          return value;
        }
      },
      cell.value);
}

// A line per column: the facts of few runs beside each other.
std::string transposed_text(const ReportTable& table) {
  std::vector<std::vector<std::string>> lines;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::vector<std::string> line{table.columns[i].title};
    for (const auto& row : table.rows) line.push_back(one_line(row[i].text));
    lines.push_back(std::move(line));
  }
  return table_text(lines, std::vector<bool>(table.rows.size() + 1, false));
}

// Columns without a title hold what is for scripts only.
std::string upright_text(const ReportTable& table, bool color) {
  std::vector<std::string> head;
  std::vector<bool> right;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool empty = std::all_of(table.rows.begin(), table.rows.end(),
                                   [&](const auto& row) { return row[i].text.empty(); });
    if (empty) continue;
    shown.push_back(i);
    head.push_back(table.columns[i].title);
    right.push_back(table.columns[i].right);
  }
  std::vector<std::vector<std::string>> lines{head_row(head, color)};
  for (const auto& row : table.rows) {
    std::vector<std::string> line;
    for (const std::size_t i : shown) line.push_back(one_line(row[i].text));
    lines.push_back(std::move(line));
  }
  return table_text(lines, right);
}

}  // namespace

std::string report_text(const std::vector<ReportTable>& tables, bool color) {
  std::string text;
  std::string run;
  for (const auto& table : tables) {
    if (!text.empty()) text += "\n";
    if (!table.run.empty() && table.run != run)
      text += painted("Run " + table.run, view::Tone::kHigh, color) + "\n\n";
    run = table.run;
    text += painted(one_line(table.title), view::Tone::kHigh, color) + "\n";
    text += table.transposed ? transposed_text(table) : upright_text(table, color);
    for (const auto& note : table.notes)
      text += painted(one_line(note), view::Tone::kDim, color) + "\n";
  }
  return text;
}

Json report_json(const std::vector<ReportTable>& tables) {
  Json list = Json::array();
  for (const auto& table : tables) {
    Json json = {{"id", table.id},
                 {"title", table.title},
                 {"run", table.run.empty() ? Json(nullptr) : Json(table.run)},
                 {"rows", Json::array()},
                 {"notes", table.notes}};
    for (const auto& row : table.rows) {
      Json object = Json::object();
      for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i].id] = cell_json(row[i]);
      json["rows"].push_back(std::move(object));
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace ringside::cli
