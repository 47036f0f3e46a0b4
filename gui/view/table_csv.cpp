#include "gui/view/table_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <variant>

#include "protocol/base/printable.h"

namespace ringside::view {
namespace {

/// Quotes the text if needed, and escapes texts that a spreadsheet would take for a formula.
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

}  // namespace

std::string table_csv(const Table& table) {
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

}  // namespace ringside::view
