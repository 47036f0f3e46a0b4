// Every table of the product as data: typed columns, cells that carry their value beside their
// text. The window, the clipboard (TSV), the terminal, JSON and HTML render the same table, and
// rows are sorted by value. Plain data and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gui/view/words.h"

namespace ringside::view {

/// What a cell is sorted by and what JSON writes; monostate: not known.
using CellValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

enum class Align : std::uint8_t { kLeft, kRight };

struct TableColumn {
  std::string key{};           ///< name in files, JSON and settings: "grad_norm"; never changes
  std::string label{};         ///< head: "Grad norm"; empty: for scripts only
  std::string unit{};          ///< "ms"; empty: none
  Align align = Align::kLeft;  ///< numbers end at the right edge
  float width = 60;            ///< in pixels at scale 1; 0: not in the window
  float narrow_width = 0;      ///< above 0: taken before any column leaves
  int drop_order = 0;          ///< above 0: hidden if there is no room, the highest first
  bool sortable = true;
  bool ascending_first = false;  ///< what a first press on its head does: names and places
  bool shown = true;             ///< at first; else it is chosen from the list of columns
  bool code = false;             ///< ids: letters of equal width
  bool in_text = true;           ///< false: a page draws what is in it, no text shows it
  std::string hint{};            ///< one sentence under the mouse; empty: none
  std::string short_label{};     ///< head where there is little room; empty: the label
};

struct Cell {
  CellValue value{};
  std::string text{};  ///< as people read it; "–" where the value is not known
  Tone tone = Tone::kText;
  double bar = -1;  ///< 0 .. 1: a small bar beside the text; below 0: none
  Shape shape = Shape::kNone;
  std::string suffix{};  ///< smaller, behind the text: "/48"
  Rank rank = kNoRank;   ///< not kNoRank: drawn as the chip of that rank
  std::string hint{};    ///< under the mouse; empty: none
  CellValue order{};     ///< what it is sorted by where that is not its value: the stage of a state
};

struct TableRow {
  std::string key{};          ///< of the thing in the row, stable while it moves: a run id, "r3"
  std::vector<Cell> cells{};  ///< as many as there are columns
  Tone tint = Tone::kText;    ///< of the whole row; kText: none
};

struct TableSort {
  std::string key{};  ///< of a column; empty: the order of the builder
  bool descending = false;
  bool operator==(const TableSort&) const = default;
};

/// Columns that a person showed or hid, against what they are at first; by key.
struct ColumnChoice {
  std::set<std::string, std::less<>> changed{};

  bool shows(const TableColumn& column) const {
    return column.shown != changed.contains(column.key);
  }
  void toggle(const std::string& key) {
    if (changed.erase(key) == 0) changed.insert(key);
  }
  bool operator==(const ColumnChoice&) const = default;
};

struct Table {
  std::string key{};  ///< "ranks": id in JSON, name of a file
  std::string title{};
  std::vector<TableColumn> columns{};
  std::vector<TableRow> rows{};
  std::vector<TableRow> totals{};  ///< below the rows, never sorted: "All"
  std::vector<std::string> notes{};
  Sentence empty{};         ///< shown instead of no rows
  std::string run{};        ///< id of the one run it is about; empty: of several, or of none
  bool transposed = false;  ///< printed with a line per column: few rows, many columns
  bool heads = true;        ///< false: printed without a line of heads
};

/// Index of the column, or columns.size() where there is none of that key.
std::size_t column_index(const Table& table, std::string_view key);

/// The column of a key that the table has.
const TableColumn& column_of(const Table& table, std::string_view key);

/// "Step p50 ms": the head as people read it.
std::string head_text(const TableColumn& column);

/// Places of the columns that text shows: those without a label and without any text are for
/// scripts.
std::vector<std::size_t> text_columns(const Table& table);

/// NaN where it is not a number.
double number_of(const CellValue& value);

/// True when `a` comes before `b` in ascending order; numbers of any kind by size, texts by their
/// bytes. Neither is monostate or NaN, nor are kinds mixed: those are not before anything.
bool value_before(const CellValue& a, const CellValue& b);

/// Stable; what is not known (monostate, NaN) comes last in either direction. A key that no column
/// has leaves the rows as they are.
void sort_rows(Table& table, const TableSort& sort);

/// The order after a press on the head of that column: pressed again it turns round.
TableSort pressed_sort(const TableSort& now, const TableColumn& column);

/// The table with these columns alone, in this order; keys that it does not have are left out.
Table with_columns(const Table& table, std::span<const std::string_view> keys);

/// The cell of a row in the column of that key; an unknown one where there is none.
const Cell& cell_of(const Table& table, const TableRow& row, std::string_view key);

/// Head with units ("Step p50 (ms)"), rows, totals; tabs and line ends in a cell become spaces.
std::string table_tsv(const Table& table);

}  // namespace ringside::view
