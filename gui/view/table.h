// Every table of the product as data: typed columns, and cells with their value beside their text.
// Window, clipboard (TSV), terminal, JSON and HTML render the same table, and rows are sorted by
// value. Plain data and pure functions.
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

/// The value by which a cell is sorted and which JSON contains; monostate: not known.
using CellValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

enum class Align : std::uint8_t { kLeft, kRight };

struct TableColumn {
  std::string key{};           ///< name in files, JSON and settings: "grad_norm"; never changes
  std::string label{};         ///< head: "Grad norm"; empty: the column is for scripts only
  std::string unit{};          ///< "ms"; empty: none
  Align align = Align::kLeft;  ///< numbers end at the right edge
  float width = 60;            ///< in pixels at scale 1; 0: not shown in the window
  float narrow_width = 0;      ///< above 0: the width to shrink to before any column is hidden
  int drop_order = 0;          ///< above 0: hidden if there is no room, the highest value first
  bool sortable = true;
  bool ascending_first = false;  ///< the first press on the head sorts ascending, as for names
  bool shown = true;    ///< shown at first; else a person can choose it from the list of columns
  bool code = false;    ///< drawn in a fixed-width font, for ids
  bool in_text = true;  ///< false: drawn by a page only, not printed as text
  std::string hint{};   ///< one sentence shown under the mouse; empty: none
  std::string short_label{};  ///< head if there is little room; empty: the label
};

struct Cell {
  CellValue value{};
  std::string text{};  ///< as people read it; "–" if the value is not known
  Tone tone = Tone::kText;
  double bar = -1;  ///< 0 .. 1: length of a small bar beside the text; below 0: none
  Shape shape = Shape::kNone;
  std::string suffix{};  ///< drawn smaller after the text: "/48"
  Rank rank = kNoRank;   ///< not kNoRank: drawn as the badge of that rank
  std::string hint{};    ///< shown under the mouse; empty: none
  CellValue order{};     ///< sort key if it differs from the value, such as the stage of a state
};

struct TableRow {
  std::string key{};  ///< key of the object in the row, the same at any position: a run id, "r3"
  std::vector<Cell> cells{};  ///< as many as there are columns
  Tone tint = Tone::kText;    ///< colour of the whole row; kText: none
};

struct TableSort {
  std::string key{};  ///< key of a column; empty: the builder's order
  bool descending = false;
  bool operator==(const TableSort&) const = default;
};

/// Keys of columns that a person showed or hid, if that differs from their default.
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
  std::string key{};  ///< "ranks": id in JSON and file name
  std::string title{};
  std::vector<TableColumn> columns{};
  std::vector<TableRow> rows{};
  std::vector<TableRow> totals{};  ///< rows below the others, never sorted: "All"
  std::vector<std::string> notes{};
  Sentence empty{};         ///< shown if there are no rows
  std::string run{};        ///< id of the only run that the table is about; empty: several or none
  bool transposed = false;  ///< printed with a line per column: few rows, many columns
  bool heads = true;        ///< false: printed without a header line
};

/// Returns the index of the column with this key, or columns.size() if there is none.
std::size_t column_index(const Table& table, std::string_view key);

/// Returns the column with this key, which must exist.
const TableColumn& column_of(const Table& table, std::string_view key);

/// Returns the head as people read it: "Step p50 ms".
std::string head_text(const TableColumn& column);

/// Returns the indexes of the columns that are printed as text. Columns without a label or without
/// any text are for scripts.
std::vector<std::size_t> text_columns(const Table& table);

/// Returns the value as a number; NaN if it is none.
double number_of(const CellValue& value);

/// Returns whether `a` comes before `b` in ascending order: numbers of any type by size, texts by
/// bytes. Monostate, NaN and values of different kinds come before nothing.
bool value_before(const CellValue& a, const CellValue& b);

/// Sorts stably; unknown values (monostate, NaN) come last in either direction. An unknown key
/// leaves the rows unchanged.
void sort_rows(Table& table, const TableSort& sort);

/// Returns the order after a press on this column's head; a second press reverses it.
TableSort pressed_sort(const TableSort& now, const TableColumn& column);

/// Returns the table with only these columns, in this order; unknown keys are ignored.
Table with_columns(const Table& table, std::span<const std::string_view> keys);

/// Returns the row's cell in the column with this key; an unknown value if there is none.
const Cell& cell_of(const Table& table, const TableRow& row, std::string_view key);

/// Returns head with units ("Step p50 (ms)"), rows and totals; tabs and line ends in a cell become
/// spaces.
std::string table_tsv(const Table& table);

}  // namespace ringside::view
