// Columns of a table laid out in the width there is: those of the least importance leave first, the
// rest share what is over. Main thread, inside a frame, except fit_columns, which is pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gui/ui/rect.h"

namespace ringside::ui {

struct TableColumn {
  int id = 0;
  const char* head = "";
  float width = 60;    ///< in pixels of the drawings
  bool right = false;  ///< numbers end at the right edge of their column
  int drop = 0;        ///< above 0: leaves when there is no room; higher leaves first
  float small = 0;     ///< above 0: takes this width before any column leaves
};

/// A column with its place on the screen.
struct PlacedColumn {
  int id = 0;
  const char* head = "";
  float x = 0;
  float right_edge = 0;
  bool right = false;
  bool small = false;
};

/// `scale` turns the widths into pixels; columns keep their order.
std::vector<PlacedColumn> fit_columns(std::span<const TableColumn> columns, float x, float width,
                                      float scale);

/// Heads of 24 px height with a line below.
void draw_heads(std::span<const PlacedColumn> columns, const Rect& line);

/// Heads that sort; the one of column `on` is marked. Returns the column whose head was pressed, or
/// -1. `sorts` tells which columns can be sorted by.
int draw_sort_heads(std::span<const PlacedColumn> columns, const Rect& line, int on,
                    bool descending, bool (*sorts)(int));

}  // namespace ringside::ui
