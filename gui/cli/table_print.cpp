#include "gui/cli/table_print.h"

#include <type_traits>

#include "gui/cli/terminal.h"

namespace ringside::cli {
namespace {

using view::Table;
using view::TableRow;

std::string cell_text(const view::Cell& cell, bool color) {
  return painted(one_line(cell.text), cell.tone, color);
}

Json value_json(const view::CellValue& value) {
  return std::visit(
      [](const auto& known) -> Json {
        using Value = std::decay_t<decltype(known)>;
        if constexpr (std::is_same_v<Value, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<Value, double>) {
          return number_or_null(known);
        } else {
          return known;
        }
      },
      value);
}

// A line per column: the facts of few runs beside each other.
std::string transposed_text(const Table& table, bool color) {
  std::vector<std::vector<std::string>> lines;
  for (const std::size_t i : view::text_columns(table)) {
    std::vector<std::string> line{view::head_text(table.columns[i])};
    for (const TableRow& row : table.rows) line.push_back(cell_text(row.cells[i], color));
    lines.push_back(std::move(line));
  }
  return table_text(lines, std::vector<bool>(table.rows.size() + 1, false));
}

}  // namespace

std::string table_text(const Table& table, bool color) {
  if (table.transposed) return transposed_text(table, color);
  std::vector<std::string> head;
  std::vector<bool> right;
  const std::vector<std::size_t> shown = view::text_columns(table);
  for (const std::size_t i : shown) {
    head.push_back(view::head_text(table.columns[i]));
    right.push_back(table.columns[i].align == view::Align::kRight);
  }
  std::vector<std::vector<std::string>> lines;
  if (table.heads) lines.push_back(head_row(std::move(head), color));
  for (const auto* rows : {&table.rows, &table.totals}) {
    for (const TableRow& row : *rows) {
      std::vector<std::string>& line = lines.emplace_back();
      for (const std::size_t i : shown) line.push_back(cell_text(row.cells[i], color));
    }
  }
  return table_text(lines, right);
}

std::string tables_text(const std::vector<Table>& tables, bool color) {
  std::string text;
  std::string run;
  for (const Table& table : tables) {
    if (!text.empty()) text += "\n";
    if (!table.run.empty() && table.run != run)
      text += painted("Run " + table.run, view::Tone::kHigh, color) + "\n\n";
    run = table.run;
    text += painted(one_line(table.title), view::Tone::kHigh, color) + "\n";
    text += table_text(table, color);
    for (const std::string& note : table.notes)
      text += painted(one_line(note), view::Tone::kDim, color) + "\n";
  }
  return text;
}

Json table_json(const Table& table) {
  Json json = {{"id", table.key},
               {"title", table.title},
               {"run", table.run.empty() ? Json(nullptr) : Json(table.run)},
               {"rows", Json::array()},
               {"notes", table.notes}};
  for (const auto* rows : {&table.rows, &table.totals}) {
    for (const TableRow& row : *rows) {
      Json object = Json::object();
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        object[table.columns[i].key] = value_json(row.cells[i].value);
      json["rows"].push_back(std::move(object));
    }
  }
  return json;
}

Json tables_json(const std::vector<Table>& tables) {
  Json list = Json::array();
  for (const Table& table : tables) list.push_back(table_json(table));
  return list;
}

}  // namespace ringside::cli
