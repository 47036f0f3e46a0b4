// Common columns and cells of tables: each has its value beside the text that people read. Pure.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "gui/view/number_format.h"
#include "gui/view/table.h"

namespace ringside::view {

inline TableColumn number_column(std::string key, std::string label, std::string unit = {}) {
  return {std::move(key), std::move(label), std::move(unit), Align::kRight};
}

/// A column of the window; see TableColumn for its width and the order in which columns are hidden.
inline TableColumn left_column(std::string key, std::string label, float width,
                               int drop_order = 0) {
  return {std::move(key), std::move(label), {}, Align::kLeft, width, 0, drop_order};
}
inline TableColumn right_column(std::string key, std::string label, std::string unit, float width,
                                int drop_order = 0) {
  return {std::move(key), std::move(label), std::move(unit), Align::kRight, width, 0, drop_order};
}

inline Cell unknown_cell() { return {{}, std::string(kDash)}; }
/// A cell whose text is also its value, empty or not.
inline Cell text_cell(std::string text, Tone tone = Tone::kText) { return {text, text, tone}; }
/// A cell with a text; without one it is unknown.
inline Cell word_cell(std::string text) {
  return text.empty() ? unknown_cell() : text_cell(std::move(text));
}
inline Cell count_cell(std::int64_t value) { return {value, count_text(value)}; }
/// A count; 0 and below: unknown.
inline Cell known_count_cell(std::int64_t value) {
  return value > 0 ? count_cell(value) : unknown_cell();
}
inline Cell yes_no_cell(bool value) { return {value, value ? "yes" : "no"}; }
inline constexpr double kUnknownNumber = std::numeric_limits<double>::quiet_NaN();
/// A number; NaN: unknown.
template <class Format>
Cell number_cell(double value, Format&& format) {
  return std::isnan(value) ? unknown_cell() : Cell{value, format(value)};
}

struct Entry {
  TableColumn column{};
  Cell cell{};
};
/// An entry for scripts, which is not shown as text.
inline Entry hidden(std::string key, CellValue value = {}) {
  return {{std::move(key)}, {std::move(value)}};
}
/// Adds a row; the first row of a table sets its columns, which are the same in all rows.
inline void add_entries(Table& table, std::vector<Entry> entries) {
  TableRow row;
  for (Entry& entry : entries) {
    if (table.rows.empty()) table.columns.push_back(std::move(entry.column));
    row.cells.push_back(std::move(entry.cell));
  }
  table.rows.push_back(std::move(row));
}

/// Adds a row with its first cell's text as its key.
inline void add_row(Table& table, std::vector<Cell> cells) {
  std::string key = cells.front().text;
  table.rows.push_back({std::move(key), std::move(cells)});
}

/// Adds a column with its cell to a table with one row.
inline void add_fact(Table& table, std::string key, std::string label, Cell cell) {
  if (table.rows.empty()) table.rows.emplace_back();
  table.columns.push_back(number_column(std::move(key), std::move(label)));
  table.rows.front().cells.push_back(std::move(cell));
}

}  // namespace ringside::view
