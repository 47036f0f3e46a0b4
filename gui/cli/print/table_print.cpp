#include "gui/cli/print/table_print.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <utility>

#include "gui/cli/print/terminal.h"
#include "gui/view/table_cells.h"

namespace ringside::cli {
namespace {

using view::Table;
using view::TableRow;

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

constexpr std::size_t kColumnGap = 2;

// A line of cells before layout: a header, a row, or in a transposed table a column.
using Line = std::vector<view::Cell>;

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    longest = std::max(longest, shown_width(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

// Column widths as in browsers: each column fits its longest word, and the remaining width is
// divided in proportion to what each lacks.
std::vector<std::size_t> fitted_widths(const std::vector<Line>& lines,
                                       const std::vector<bool>& right, std::size_t width) {
  std::vector<std::size_t> least(right.size(), 0);
  std::vector<std::size_t> most(right.size(), 0);
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::size_t whole = shown_width(line[i].text);
      most[i] = std::max(most[i], whole);
      least[i] = std::max(least[i], right[i] ? whole : longest_word(line[i].text));
    }
  }
  const std::size_t needed =
      std::accumulate(least.begin(), least.end(), kColumnGap * (right.size() - 1));
  const std::size_t wanted =
      std::accumulate(most.begin(), most.end(), kColumnGap * (right.size() - 1));
  if (width == 0 || wanted <= width) return most;
  const std::size_t over = width - std::min(width, needed);
  for (std::size_t i = 0; i < right.size(); ++i)
    least[i] += over * (most[i] - least[i]) / (wanted - needed);
  return least;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (shown_width(text) > width) {
    std::size_t end = text.find(' ');
    for (std::size_t next = end; next != text.npos; next = text.find(' ', next + 1)) {
      if (shown_width(text.substr(0, next)) > width) break;
      end = next;
    }
    if (end == text.npos) break;
    lines.back() = text.substr(0, end);
    lines.emplace_back();
    text.remove_prefix(end + 1);
  }
  lines.back() = text;
  return lines;
}

std::string lines_text(std::vector<Line> lines, const std::vector<bool>& right, bool color,
                       std::size_t width) {
  for (Line& line : lines) {
    for (view::Cell& cell : line) cell.text = one_line(cell.text);
  }
  const std::vector<std::size_t> widths = fitted_widths(lines, right, width);
  std::string text;
  for (const Line& line : lines) {
    std::vector<std::vector<std::string>> pieces;
    std::size_t height = 1;
    for (std::size_t i = 0; i < line.size(); ++i) {
      pieces.push_back(wrapped(line[i].text, widths[i]));
      height = std::max(height, pieces.back().size());
    }
    for (std::size_t k = 0; k < height; ++k) {
      std::string out;
      for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string piece = k < pieces[i].size() ? pieces[i][k] : "";
        const std::string pad(widths[i] - std::min(widths[i], shown_width(piece)), ' ');
        const std::string set = piece.empty() ? "" : painted(piece, line[i].tone, color);
        if (i > 0) out.append(kColumnGap, ' ');
        out += right[i] ? pad + set : set + pad;
      }
      text += out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
    }
  }
  return text;
}

// One line per column: the values of a few runs beside each other.
std::string transposed_text(const Table& table, bool color, std::size_t width) {
  std::vector<Line> lines;
  for (const std::size_t i : view::text_columns(table)) {
    Line line{view::text_cell(view::head_text(table.columns[i]))};
    for (const TableRow& row : table.rows) line.push_back(row.cells[i]);
    lines.push_back(std::move(line));
  }
  return lines_text(std::move(lines), std::vector<bool>(table.rows.size() + 1, false), color,
                    width);
}

}  // namespace

std::string table_text(const Table& table, bool color, std::size_t width) {
  if (table.transposed) return transposed_text(table, color, width);
  const std::vector<std::size_t> shown = view::text_columns(table);
  if (shown.empty()) return {};
  Line head;
  std::vector<bool> right;
  for (const std::size_t i : shown) {
    head.push_back(view::text_cell(view::head_text(table.columns[i]), view::Tone::kDim));
    right.push_back(table.columns[i].align == view::Align::kRight);
  }
  std::vector<Line> lines;
  if (table.heads) lines.push_back(std::move(head));
  for (const auto* rows : {&table.rows, &table.totals}) {
    for (const TableRow& row : *rows) {
      Line& line = lines.emplace_back();
      for (const std::size_t i : shown) line.push_back(row.cells[i]);
    }
  }
  return lines_text(std::move(lines), right, color, width);
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

Json rows_json(const Table& table) {
  Json list = Json::array();
  for (const auto* rows : {&table.rows, &table.totals}) {
    for (const TableRow& row : *rows) {
      Json object = Json::object();
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        object[table.columns[i].key] = value_json(row.cells[i].value);
      list.push_back(std::move(object));
    }
  }
  return list;
}

Json table_json(const Table& table) {
  return {{"id", table.key},
          {"title", table.title},
          {"run", table.run.empty() ? Json(nullptr) : Json(table.run)},
          {"rows", rows_json(table)},
          {"notes", table.notes}};
}

Json tables_json(const std::vector<Table>& tables) {
  Json list = Json::array();
  for (const Table& table : tables) list.push_back(table_json(table));
  return list;
}

}  // namespace ringside::cli
