#include "gui/ui/table.h"

#include <algorithm>
#include <cmath>

#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr float kBetween = 14;  // between two columns

struct Kept {
  const TableColumn* column;
  bool small;
  float width() const { return small ? column->small : column->width; }
};

float total(const std::vector<Kept>& kept) {
  float sum = 0;
  for (const Kept& entry : kept) sum += entry.width() + kBetween;
  return sum - kBetween;
}

/// Makes one column smaller or lets one go; false when nothing can give way.
bool give_way(std::vector<Kept>& kept) {
  for (Kept& entry : kept) {
    if (!entry.small && entry.column->small > 0) {
      entry.small = true;
      return true;
    }
  }
  const auto first = std::max_element(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) {
    return a.column->drop < b.column->drop;
  });
  if (first == kept.end() || first->column->drop == 0) return false;
  kept.erase(first);
  return true;
}

}  // namespace

std::vector<PlacedColumn> fit_columns(std::span<const TableColumn> columns, float x, float width,
                                      float scale) {
  std::vector<Kept> kept;
  for (const TableColumn& column : columns) kept.push_back({&column, false});
  while (total(kept) * scale > width && give_way(kept)) {
  }
  const float spare = std::max(0.0F, width - total(kept) * scale) /
                      static_cast<float>(std::max<std::size_t>(kept.size(), 1));
  std::vector<PlacedColumn> placed;
  for (const Kept& entry : kept) {
    const float column_width = entry.width() * scale + spare;
    placed.push_back({entry.column->id, entry.column->head, std::floor(x),
                      std::floor(x + column_width), entry.column->right, entry.small});
    x += column_width + kBetween * scale;
  }
  return placed;
}

void draw_heads(std::span<const PlacedColumn> columns, const Rect& line) {
  for (const PlacedColumn& column : columns) {
    if (column.right) {
      text_right(column.right_edge, line.middle_y(), Type::kLabel, color(Token::kDim), column.head);
    } else {
      text_at(column.x, line.middle_y(), Type::kLabel, color(Token::kDim), column.head);
    }
  }
  line_h(line.x, line.right(), line.bottom() - 1, color(Token::kLine));
}

}  // namespace ringside::ui
