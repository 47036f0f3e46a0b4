// Draws view::Table. Columns are laid out in the width there is: those of the least importance
// leave first, to the right of the others, where one gets by scrolling sideways; the rest share
// what is over. Main thread, inside a frame, except fit_columns, which is pure.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gui/ui/rect.h"
#include "gui/view/table.h"

namespace ringside::ui {

/// A column with its place on the screen.
struct PlacedColumn {
  std::size_t place = 0;  ///< in the table
  std::string head{};
  float x = 0;
  float right_edge = 0;
  bool right = false;  ///< numbers end at the right edge of their column
  bool small = false;  ///< narrower than it was drawn
};

/// The columns that are chosen, in their order; behind them, beyond `width`, those that have no
/// room. `scale` turns widths into pixels.
std::vector<PlacedColumn> fit_columns(std::span<const view::TableColumn> columns,
                                      const view::ColumnChoice& choice, float x, float width,
                                      float scale);

/// How a page wants its table, and what it draws of it by itself.
struct TableStyle {
  float head_height = 24;
  float row_height = 23;
  float left = 12;                              ///< beside the first column
  float right = 22;                             ///< beside the last one, the scroll bar included
  bool lines = true;                            ///< below each row
  const view::ColumnChoice* columns = nullptr;  ///< null: those that are shown at first
  const view::TableSort* sort = nullptr;        ///< null: nothing can be sorted
  int scroll_to = -1;                           ///< row that is brought into view; below 0: none
  /// A head that the page draws; false: draw it as usual.
  std::function<bool(const view::TableColumn&, const Rect&)> head{};
  /// Draws behind the cells of a row: its place in table.rows, and where.
  std::function<void(std::size_t, const Rect&)> behind{};
  /// A cell that the page draws: column, place of the row, where; false: draw it as usual.
  std::function<bool(const view::TableColumn&, std::size_t, const Rect&)> cell{};
};

/// How far an arrow moves the chosen row of a list: 1, −1, or 0 where none was pressed or a field
/// or popup has it.
int row_step();

/// Heads, rows that scroll, totals below, in a low area the first of them alone; the sentence of an
/// empty table. Returns the key of the
/// column whose head was pressed, or nothing. `id` is stable. Rows that are out of sight cost
/// nothing.
std::string draw_table(const char* id, const view::Table& table, const Rect& area,
                       const TableStyle& style = {});

/// A button that opens the list of columns, from which they are shown and hidden; the first column
/// always is. Returns the key of the column to change, or nothing.
std::string choose_columns(const view::Table& table, const view::ColumnChoice& choice,
                           const Rect& where);

}  // namespace ringside::ui
