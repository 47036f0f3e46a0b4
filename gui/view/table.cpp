#include "gui/view/table.h"

#include <algorithm>
#include <cmath>

namespace ringside::view {
namespace {

bool is_known(const CellValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return false;
  const double* number = std::get_if<double>(&value);
  return number == nullptr || !std::isnan(*number);
}

bool is_number(const CellValue& value) {
  return std::holds_alternative<bool>(value) || std::holds_alternative<std::int64_t>(value) ||
         std::holds_alternative<double>(value);
}

const CellValue& sort_value(const Cell& cell) {
  return std::holds_alternative<std::monostate>(cell.order) ? cell.value : cell.order;
}

void put_line(const std::vector<std::string>& cells, std::string& text) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text += '\t';
    for (const char letter : cells[i])
      text += letter == '\t' || letter == '\n' || letter == '\r' ? ' ' : letter;
  }
  text += '\n';
}

}  // namespace

std::size_t column_index(const Table& table, std::string_view key) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [key](const TableColumn& column) { return column.key == key; });
  return static_cast<std::size_t>(found - table.columns.begin());
}

const TableColumn& column_of(const Table& table, std::string_view key) {
  return table.columns.at(column_index(table, key));
}

std::string head_text(const TableColumn& column) {
  return column.unit.empty() ? column.label : column.label + " " + column.unit;
}

std::vector<std::size_t> text_columns(const Table& table) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].in_text) continue;
    const auto says = [i](const TableRow& row) { return !row.cells[i].text.empty(); };
    if (!table.columns[i].label.empty() || std::any_of(table.rows.begin(), table.rows.end(), says))
      shown.push_back(i);
  }
  return shown;
}

double number_of(const CellValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(&value);
  return number == nullptr ? std::nan("") : *number;
}

bool value_before(const CellValue& a, const CellValue& b) {
  if (!is_known(a) || !is_known(b)) return false;
  const auto* left = std::get_if<std::int64_t>(&a);
  const auto* right = std::get_if<std::int64_t>(&b);
  if (left != nullptr && right != nullptr) return *left < *right;
  if (is_number(a) && is_number(b)) return number_of(a) < number_of(b);
  if (is_number(a) || is_number(b)) return false;
  return std::get<std::string>(a) < std::get<std::string>(b);
}

void sort_rows(Table& table, const TableSort& sort) {
  const std::size_t column = column_index(table, sort.key);
  if (sort.key.empty() || column == table.columns.size()) return;
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const TableRow& a, const TableRow& b) {
    const CellValue& left = sort_value(a.cells[column]);
    const CellValue& right = sort_value(b.cells[column]);
    if (is_known(left) != is_known(right)) return is_known(left);
    return sort.descending ? value_before(right, left) : value_before(left, right);
  });
}

TableSort pressed_sort(const TableSort& now, const TableColumn& column) {
  const bool again = now.key == column.key;
  return {column.key, again ? !now.descending : !column.ascending_first};
}

Table with_columns(const Table& table, std::span<const std::string_view> keys) {
  Table chosen = table;
  chosen.columns.clear();
  for (auto* rows : {&chosen.rows, &chosen.totals}) {
    for (TableRow& row : *rows) row.cells.clear();
  }
  for (const std::string_view key : keys) {
    const std::size_t from = column_index(table, key);
    if (from == table.columns.size()) continue;
    chosen.columns.push_back(table.columns[from]);
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      chosen.rows[i].cells.push_back(table.rows[i].cells[from]);
    for (std::size_t i = 0; i < table.totals.size(); ++i)
      chosen.totals[i].cells.push_back(table.totals[i].cells[from]);
  }
  return chosen;
}

const Cell& cell_of(const Table& table, const TableRow& row, std::string_view key) {
  static const Cell kUnknown;
  const std::size_t column = column_index(table, key);
  return column < row.cells.size() ? row.cells[column] : kUnknown;
}

std::string table_tsv(const Table& table) {
  std::string text;
  std::vector<std::string> line;
  const std::vector<std::size_t> shown = text_columns(table);
  for (const std::size_t i : shown) {
    const TableColumn& column = table.columns[i];
    line.push_back(column.unit.empty() ? column.label : column.label + " (" + column.unit + ")");
  }
  put_line(line, text);
  const auto put_row = [&](const TableRow& row) {
    line.clear();
    for (const std::size_t i : shown) line.push_back(row.cells[i].text);
    put_line(line, text);
  };
  for (const TableRow& row : table.rows) put_row(row);
  for (const TableRow& row : table.totals) put_row(row);
  return text;
}

}  // namespace ringside::view
