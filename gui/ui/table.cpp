#include "gui/ui/table.h"

#include <algorithm>
#include <cmath>

#include "gui/ui/icons.h"
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
  // Words that gave way get back what is over before the rest shares it.
  float over = std::max(0.0F, width - total(kept) * scale);
  std::vector<float> back;
  for (const Kept& entry : kept) {
    const bool words = entry.small && !entry.column->right;
    const float lost = words ? (entry.column->width - entry.column->small) * scale : 0;
    back.push_back(std::min(over, lost));
    over -= back.back();
  }
  const float spare = over / static_cast<float>(std::max<std::size_t>(kept.size(), 1));
  std::vector<PlacedColumn> placed;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Kept& entry = kept[i];
    const float column_width = entry.width() * scale + back[i] + spare;
    placed.push_back({entry.column->id, entry.column->head, std::floor(x),
                      std::floor(x + column_width), entry.column->right, entry.small});
    x += column_width + kBetween * scale;
  }
  return placed;
}

void draw_heads(std::span<const PlacedColumn> columns, const Rect& line) {
  for (const PlacedColumn& column : columns) {
    if (column.right) {
      text_right(column.right_edge, line.middle_y(), Type::kLabel, color_of(Token::kDim),
                 column.head);
    } else {
      text_at(column.x, line.middle_y(), Type::kLabel, color_of(Token::kDim), column.head);
    }
  }
  line_h(line.x, line.right(), line.bottom() - 1, color_of(Token::kLine));
}

namespace {

/// True when it was pressed.
bool draw_sort_head(const PlacedColumn& column, const Rect& line, bool on, bool descending) {
  const float width = text_width(Type::kSmallBold, column.head) + px(4);
  const float left = column.right ? column.right_edge - width : column.x;
  const std::string id = std::string("Sort by ") + column.head;
  const Hit hit = hit_area(id.c_str(), {left, line.y, width, line.h});
  const ImU32 color = color_of(on || hit.hovered ? Token::kHigh : Token::kDim);
  const Type type = on ? Type::kSmallBold : Type::kLabel;
  const float begin = column.right
                          ? text_right(column.right_edge, line.middle_y(), type, color, column.head)
                          : column.x;
  const float end =
      column.right ? begin : text_at(column.x, line.middle_y(), type, color, column.head);
  if (on) {
    draw_icon(descending ? Icon::kChevronDown : Icon::kChevronUp,
              ImVec2(column.right ? begin - px(9) : end + px(9), line.middle_y()), px(8), color);
  }
  return hit.clicked;
}

}  // namespace

int draw_sort_heads(std::span<const PlacedColumn> columns, const Rect& line, int on,
                    bool descending, bool (*sorts)(int)) {
  int pressed = -1;
  for (const PlacedColumn& column : columns) {
    if (*column.head == '\0') continue;
    if (!sorts(column.id)) {
      draw_heads({&column, 1}, line);
    } else if (draw_sort_head(column, line, on == column.id, descending)) {
      pressed = column.id;
    }
  }
  line_h(line.x, line.right(), line.bottom() - 1, color_of(Token::kLine));
  return pressed;
}

}  // namespace ringside::ui
