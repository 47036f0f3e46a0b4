// Draws view::Table. Columns are laid out in the available width: the least important ones are
// moved to the right, beyond the edge, where they can be reached by scrolling; the others share the
// remaining width. Main thread, inside a frame, except fit_columns, which is pure.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gui/ui/rect.h"
#include "gui/view/table.h"

namespace ringside::ui {

struct PlacedColumn {
  std::size_t place = 0;  ///< index in the table
  std::string head{};
  float x = 0;
  float right_edge = 0;
  bool right = false;  ///< numbers end at the right edge of their column
  bool small = false;  ///< narrower than its full width
};

/// Returns the chosen columns in their order, then, beyond `width`, those that do not fit. `scale`
/// converts widths to pixels.
std::vector<PlacedColumn> fit_columns(std::span<const view::TableColumn> columns,
                                      const view::ColumnChoice& choice, float x, float width,
                                      float scale);

/// Options of a page for its table, and callbacks for the parts that the page draws itself.
struct TableStyle {
  float head_height = 24;
  float row_height = 23;
  float left = 12;    ///< space left of the first column
  float right = 22;   ///< space right of the last column, scroll bar included
  bool lines = true;  ///< below each row
  const view::ColumnChoice* columns = nullptr;  ///< null: the default columns
  const view::TableSort* sort = nullptr;        ///< null: the table cannot be sorted
  int scroll_to = -1;                           ///< row that is brought into view; below 0: none
  /// Draws a head; false: draw it as usual.
  std::function<bool(const view::TableColumn&, const Rect&)> head{};
  /// Draws the background of a row: its index in table.rows, and its area.
  std::function<void(std::size_t, const Rect&)> behind{};
  /// Draws a cell, given column, row index and area; false: draw it as usual.
  std::function<bool(const view::TableColumn&, std::size_t, const Rect&)> cell{};
};

/// Returns how an arrow key moves the selected row: 1, −1, or 0 if none was pressed or a field or
/// popup uses the key.
int row_step();

/// Draws heads, scrolling rows and totals, only the first total if the area is low; an empty table
/// shows its sentence. Returns the key of the column whose head was pressed, or nothing. `id` must
/// be stable. Rows out of view cost nothing.
std::string draw_table(const char* id, const view::Table& table, const Rect& area,
                       const TableStyle& style = {});

/// Draws a button that opens the list of columns, to show and hide them; the first column is always
/// shown. Returns the key of the column to change, or nothing.
std::string choose_columns(const view::Table& table, const view::ColumnChoice& choice,
                           const Rect& where);

}  // namespace ringside::ui
