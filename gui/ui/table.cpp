#include "gui/ui/table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/ui/icons.h"
#include "gui/ui/item_watch.h"
#include "gui/ui/side_scroll.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/number_format.h"

namespace ringside::ui {
namespace {

constexpr float kBetween = 14;  // between two columns

struct Kept {
  const view::TableColumn* column;
  std::size_t place;
  bool chosen;  ///< a person chose to show it
  bool small;
  float width() const { return small ? column->narrow_width : column->width; }
};

bool asked_for(const view::ColumnChoice& choice, const view::TableColumn& column) {
  return !column.shown && choice.shows(column);
}

float total(const std::vector<Kept>& kept) {
  float sum = 0;
  for (const Kept& entry : kept) sum += entry.width() + kBetween;
  return sum - kBetween;
}

/// Narrows or removes one column; false if none can be narrowed or removed.
bool give_way(std::vector<Kept>& kept, std::vector<Kept>& left) {
  for (Kept& entry : kept) {
    if (!entry.small && entry.column->narrow_width > 0) {
      entry.small = true;
      return true;
    }
  }
  // Columns that a person chose are removed last.
  const auto rank = [](const Kept& entry) {
    return std::pair(entry.column->drop_order > 0 && !entry.chosen, entry.column->drop_order);
  };
  const auto first = std::ranges::max_element(
      kept, [&](const Kept& a, const Kept& b) { return rank(a) < rank(b); });
  if (first == kept.end() || first->column->drop_order == 0) return false;
  left.push_back(*first);
  kept.erase(first);
  return true;
}

/// Draws a head that sorts; true when it was pressed.
bool draw_sort_head(const PlacedColumn& column, const Rect& line, bool on, bool descending) {
  const float width = text_width(Type::kSmallBold, column.head) + px(4);
  const float left = column.right ? column.right_edge - width : column.x;
  const std::string id = "Sort by " + column.head;
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

/// Space for the numbers beside a small bar: "94", or "12.4/48".
constexpr float kNumberRoom = 36;
constexpr float kLongNumberRoom = 68;

bool is_loud(view::Tone tone) { return tone == view::Tone::kWarning || tone == view::Tone::kError; }

ImU32 number_color(const view::Cell& cell) {
  const bool unknown = std::holds_alternative<std::monostate>(cell.value);
  if (unknown && cell.text == view::kDash) return color_of(Token::kFaint);
  return color_of(cell.tone == view::Tone::kText ? Token::kHigh : token_of(cell.tone));
}

void draw_number_cell(const PlacedColumn& column, const view::Cell& cell, bool strong,
                      float middle) {
  float right = column.right_edge;
  if (!cell.suffix.empty())
    right = text_right(right, middle, Type::kAxis, Token::kDim, cell.suffix);
  const Type type = strong || is_loud(cell.tone) ? Type::kNumberBold : Type::kNumber;
  text_right(right, middle, type, number_color(cell), cell.text);
  if (cell.bar < 0 || column.small) return;
  const float room = px(cell.suffix.empty() ? kNumberRoom : kLongNumberRoom);
  const float width = column.right_edge - room - column.x;
  if (width > px(16)) {
    small_bar({column.x, std::floor(middle - px(3)), width, px(6)}, cell.bar, Token::kSmallBar);
  }
}

void draw_cell(const view::TableColumn& about, const PlacedColumn& column, const view::Cell& cell,
               bool strong, const Rect& row) {
  const float middle = row.middle_y();
  if (cell.rank != kNoRank) {
    rank_chip(column.x, middle, cell.rank);
  } else if (cell.shape != view::Shape::kNone) {
    state_word(column.x, middle, {cell.text, cell.shape, cell.tone});
  } else if (about.align == view::Align::kRight) {
    draw_number_cell(column, cell, strong, middle);
  } else {
    const Type words = strong || is_loud(cell.tone) ? Type::kSmallBold : Type::kSmall;
    text_fitted(column.x, middle, column.right_edge - column.x, about.code ? Type::kNumber : words,
                strong ? color_of(Token::kHigh) : color_of(token_of(cell.tone)), cell.text);
  }
  if (!cell.hint.empty())
    note_cut({column.x, row.y, column.right_edge - column.x, row.h}, cell.hint);
}

void draw_plain_head(const PlacedColumn& column, const Rect& line) {
  const ImU32 color = color_of(Token::kDim);
  if (column.right)
    text_right(column.right_edge, line.middle_y(), Type::kLabel, color, column.head);
  if (!column.right) text_at(column.x, line.middle_y(), Type::kLabel, color, column.head);
}

/// Draws the heads. Returns the key of the column whose head was pressed.
std::string draw_heads(const view::Table& table, std::span<const PlacedColumn> columns,
                       const Rect& line, const TableStyle& style) {
  std::string pressed;
  for (const PlacedColumn& column : columns) {
    const view::TableColumn& about = table.columns[column.place];
    const Rect where{column.x, line.y, column.right_edge - column.x, line.h};
    const bool drawn = column.head.empty() || (style.head && style.head(about, where));
    const bool sorts = style.sort != nullptr && about.sortable;
    const bool on = sorts && about.key == style.sort->key;
    if (!drawn && !sorts) draw_plain_head(column, line);
    if (!drawn && sorts && draw_sort_head(column, line, on, on && style.sort->descending))
      pressed = about.key;
    if (!drawn || !about.hint.empty()) explain_column(where, table.key, about.key, about.hint);
  }
  return pressed;
}

void draw_row_ground(const view::Table& table, std::size_t place, const Rect& line,
                     const TableStyle& style) {
  const view::Tone tint = table.rows[place].tint;
  if (tint != view::Tone::kText) fill(line, color_of(tint_of(tint), theme().light ? 0.8F : 0.6F));
  if (style.behind) style.behind(place, line);
  if (style.lines) line_h(line.x, line.right(), line.bottom() - 1, Token::kGrid);
}

void draw_row_cells(const view::Table& table, std::span<const PlacedColumn> columns,
                    std::size_t place, const Rect& line, const TableStyle& style) {
  for (const PlacedColumn& column : columns) {
    const view::TableColumn& about = table.columns[column.place];
    const Rect where{column.x, line.y, column.right_edge - column.x, line.h};
    if (style.cell && style.cell(about, place, where)) continue;
    draw_cell(about, column, table.rows[place].cells[column.place], false, line);
  }
}

/// The columns of a horizontally scrolled table; the first one is fixed.
class Columns {
 public:
  Columns(const char* id, std::vector<PlacedColumn> all, const TableStyle& style, Rect& area)
      : all_(std::move(all)) {
    if (all_.empty()) return;
    const float margins = px(style.left + style.right);
    Rect inner{area.x + px(style.left), area.y, area.w - margins, area.h};
    const SideScroll side(id, inner, all_.back().right_edge - inner.x);
    area.h = inner.h;
    fixed_ = side.on();
    seen_ = {all_.front().right_edge + px(kBetween / 2), area.y, 0, area.h};
    seen_.w = inner.right() + px(kBetween / 2) - seen_.x;
    for (std::size_t i = 1; i < all_.size(); ++i) {
      all_[i].x -= side.offset();
      all_[i].right_edge -= side.offset();
    }
  }

  /// Draws the first column, then the others, clipped at its right edge.
  template <class Draw>
  void each_part(Draw&& draw) const {
    const std::span<const PlacedColumn> columns = all_;
    if (!fixed_) return draw(columns);
    draw(columns.first(1));
    ImGui::PushClipRect(ImVec2(seen_.x, seen_.y), ImVec2(seen_.right(), seen_.bottom()), true);
    {
      const ScrolledTexts scrolled;
      draw(columns.subspan(1));
    }
    ImGui::PopClipRect();
  }

 private:
  std::vector<PlacedColumn> all_;
  Rect seen_;  ///< visible area of the other columns
  bool fixed_ = false;
};

constexpr float kTotalHeight = 24;

/// The totals to show: only the first if all would leave little room for rows.
std::span<const view::TableRow> totals_with_room(const view::Table& table, const Rect& body) {
  constexpr float kLeastRows = 72;
  const std::span<const view::TableRow> all(table.totals);
  const bool fit = body.h >= px(kTotalHeight * static_cast<float>(all.size()) + kLeastRows);
  return fit || all.empty() ? all : all.first(1);
}

void draw_totals(const view::Table& table, const Columns& columns, Rect& body) {
  const auto totals = totals_with_room(table, body);
  for (auto row = totals.rbegin(); row != totals.rend(); ++row) {
    const Rect line = body.take_bottom(px(kTotalHeight));
    line_h(line.x, line.right(), line.y, Token::kLine);
    columns.each_part([&](std::span<const PlacedColumn> part) {
      for (const PlacedColumn& column : part)
        draw_cell(table.columns[column.place], column, row->cells[column.place], true, line);
    });
  }
}

}  // namespace

std::vector<PlacedColumn> fit_columns(std::span<const view::TableColumn> columns,
                                      const view::ColumnChoice& choice, float x, float width,
                                      float scale) {
  std::vector<Kept> kept;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    // The first column identifies the row, so it is never hidden.
    if (columns[i].width > 0 && (i == 0 || choice.shows(columns[i])))
      kept.push_back({&columns[i], i, asked_for(choice, columns[i]), false});
  }
  std::vector<Kept> left;
  while (total(kept) * scale > width && give_way(kept, left)) {
  }
  std::ranges::sort(left, [](const Kept& a, const Kept& b) { return a.place < b.place; });
  // Text columns that were narrowed get the remaining width first.
  float over = std::max(0.0F, width - total(kept) * scale);
  std::vector<float> back;
  for (const Kept& entry : kept) {
    const bool words = entry.small && entry.column->align == view::Align::kLeft;
    const float lost = words ? (entry.column->width - entry.column->narrow_width) * scale : 0;
    back.push_back(std::min(over, lost));
    over -= back.back();
  }
  const float spare = over / static_cast<float>(std::max<std::size_t>(kept.size(), 1));
  std::vector<PlacedColumn> placed;
  const auto put = [&](const Kept& entry, float column_width) {
    const bool cut = entry.small && !entry.column->short_label.empty();
    placed.push_back({entry.place, cut ? entry.column->short_label : view::head_text(*entry.column),
                      std::floor(x), std::floor(x + column_width),
                      entry.column->align == view::Align::kRight, entry.small});
    x += column_width + kBetween * scale;
  };
  for (std::size_t i = 0; i < kept.size(); ++i)
    put(kept[i], kept[i].width() * scale + back[i] + spare);
  for (const Kept& entry : left) put(entry, entry.column->width * scale);
  return placed;
}

int row_step() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyMods != ImGuiMod_None ||
      ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup))
    return 0;
  return (ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : 0) -
         (ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? 1 : 0);
}

std::string draw_table(const char* id, const view::Table& table, const Rect& area,
                       const TableStyle& style) {
  if (table.rows.empty()) {
    sentence_centered(area.middle_x(), area.middle_y(), table.empty, kDimSentence);
    return {};
  }
  Rect body = area;
  const Columns columns(
      id,
      fit_columns(table.columns, style.columns == nullptr ? view::ColumnChoice() : *style.columns,
                  area.x + px(style.left), area.w - px(style.left + style.right), theme().scale),
      style, body);
  const Rect heads = body.take_top(px(style.head_height));
  std::string pressed;
  columns.each_part([&](std::span<const PlacedColumn> part) {
    const std::string key = draw_heads(table, part, heads, style);
    if (!key.empty()) pressed = key;
  });
  if (style.lines) line_h(heads.x, heads.right(), heads.bottom() - 1, Token::kLine);
  draw_totals(table, columns, body);
  const ScrollArea scroll(id, body);
  const float height = px(style.row_height);
  const float top = scroll.content.y;
  if (style.scroll_to >= 0) {
    const float to = top + height * static_cast<float>(style.scroll_to);
    ImGui::SetScrollFromPosY(to - ImGui::GetWindowPos().y, 0.5F);
  }
  // Includes one row above and below the view, so that the keyboard can move to it.
  const auto count = static_cast<float>(table.rows.size());
  const auto first =
      static_cast<std::size_t>(std::clamp(std::floor((body.y - top) / height) - 1, 0.0F, count));
  const auto last = static_cast<std::size_t>(
      std::clamp(std::ceil((body.bottom() - top) / height) + 1, 0.0F, count));
  const auto line_of = [&](std::size_t row) {
    return Rect{scroll.content.x, top + height * static_cast<float>(row), scroll.content.w, height};
  };
  // The background of a row is drawn once, before its cells.
  bool grounded = false;
  columns.each_part([&](std::span<const PlacedColumn> part) {
    for (std::size_t i = first; i < last; ++i) {
      if (!grounded) draw_row_ground(table, i, line_of(i), style);
      draw_row_cells(table, part, i, line_of(i), style);
    }
    grounded = true;
  });
  scroll.reach(top + height * count);
  return pressed;
}

std::string choose_columns(const view::Table& table, const view::ColumnChoice& choice,
                           const Rect& where) {
  std::string changed;
  if (button("Columns", where, {ButtonKind::kPlain})) ImGui::OpenPopup("columns");
  ImGui::SetNextWindowPos(ImVec2(where.x, where.bottom()), ImGuiCond_Appearing);
  const float most = std::max(px(60), ImGui::GetIO().DisplaySize.y - px(16));
  ImGui::SetNextWindowSizeConstraints(ImVec2(px(150), 0), ImVec2(px(180), most));
  if (!ImGui::BeginPopup("columns")) return changed;
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    const view::TableColumn& column = table.columns[i];
    if (column.width <= 0 || column.label.empty()) continue;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string word = view::head_text(column);
    bool on = choice.shows(column);
    if (tick_box(word.c_str(), at.x, at.y + px(11), on, word)) changed = column.key;
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + px(22)));
    ImGui::Dummy(ImVec2(1, 1));
  }
  ImGui::EndPopup();
  return changed;
}

}  // namespace ringside::ui
