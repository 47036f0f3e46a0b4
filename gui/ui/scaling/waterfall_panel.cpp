#include "gui/ui/scaling/waterfall_panel.h"

#include <algorithm>
#include <cmath>

#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr float kRow = 38;
constexpr float kAxis = 24;
constexpr float kNote = 20;

/// Where words, bars and numbers stand in every row.
struct Columns {
  Rect words;
  Rect plot;
  float x_right = 0;
  float seconds_right = 0;
};

Columns columns_of(Rect area) {
  Columns columns;
  columns.seconds_right = area.right();
  area.take_right(px(76));
  columns.x_right = area.right();
  area.take_right(px(62), px(8));
  columns.words = area.take_left(std::floor(area.w * 0.46F), px(14));
  columns.plot = area;
  return columns;
}

float x_of(const view::AxisView& axis, const Rect& plot, double value) {
  const auto share = static_cast<float>(std::clamp(view::axis_share(axis, value), 0.0, 1.0));
  return std::floor(plot.x + plot.w * share);
}

void draw_words(const Rect& words, float middle, const std::string& label, const std::string& text,
                bool strong) {
  text_fitted(words.x, middle - px(8), words.w, strong ? Type::kPanel : Type::kBody,
              color_of(strong ? Token::kHigh : Token::kText), label);
  text_fitted(words.x, middle + px(8), words.w, Type::kLabel, color_of(Token::kDim), text);
}

void draw_numbers(const Columns& columns, float middle, const std::string& x,
                  const std::string& seconds, bool strong) {
  const Type type = strong ? Type::kNumberBold : Type::kNumber;
  const ImU32 color = color_of(strong ? Token::kHigh : Token::kText);
  text_right(columns.x_right, middle, type, color, x);
  text_right(columns.seconds_right, middle, Type::kNumber, color, seconds);
}

/// Two slanted lines where the axis leaves out what lies below it.
void break_mark(float x, const Rect& bar) {
  const float lean = px(4);
  const float wide = px(4);
  ImGui::GetWindowDrawList()->AddQuadFilled(
      ImVec2(x + lean, bar.y - px(1)), ImVec2(x + lean + wide, bar.y - px(1)),
      ImVec2(x + wide, bar.bottom() + px(1)), ImVec2(x, bar.bottom() + px(1)),
      color_of(Token::kPanel));
}

Rect bar_between(float middle, float a, float b) {
  const float left = std::min(a, b);
  const float height = px(20);
  return {left, std::floor(middle - height / 2), std::max(px(1), std::abs(a - b)), height};
}

void draw_end(const view::WaterfallView& view, const view::WaterfallEnd& end, const Rect& row,
              const Columns& columns, ImU32 color) {
  const float middle = row.middle_y();
  draw_words(columns.words, middle, end.label, end.text, true);
  const Rect bar = bar_between(middle, columns.plot.x, x_of(view.axis, columns.plot, end.at));
  fill(bar, color);
  if (view.cut && bar.w > px(14)) break_mark(bar.x + px(4), bar);
  draw_numbers(columns, middle, end.x, end.seconds, true);
}

void draw_bar(const view::WaterfallRow& row, const Rect& bar) {
  if (row.hollow) {
    outline(bar, color_of(Token::kDim));
  } else if (row.gain) {
    fill(bar, color_of(Token::kOk));
  } else {
    fill(bar, paint_color(row.paint));
  }
}

/// True when it was pressed.
bool draw_row(const view::WaterfallView& view, const view::WaterfallRow& row, const Rect& area,
              const Columns& columns) {
  const Hit hit = hit_area(row.label.c_str(), area);
  tooltip(row.text);
  if (hit.hovered) fill(area, color_of(Token::kHover), 2);
  line_h(area.x, area.right(), area.y, color_of(Token::kLine));
  const float middle = area.middle_y();
  Rect words = columns.words;
  const Rect swatch = words.take_left(px(8), px(8));
  const Rect mark{swatch.x, std::floor(middle - px(12)), px(8), px(8)};
  row.hollow ? outline(mark, color_of(Token::kDim)) : fill(mark, paint_color(row.paint));
  draw_words(words, middle, row.label, row.text, false);
  const float from = x_of(view.axis, columns.plot, row.from);
  const float to = x_of(view.axis, columns.plot, row.to);
  draw_bar(row, bar_between(middle, from, to));
  line_v(from, area.y - area.h / 2 + px(10), middle - px(10), color_of(Token::kDim));
  draw_numbers(columns, middle, row.x, row.seconds, false);
  return hit.clicked;
}

void draw_axis(const view::AxisView& axis, const Rect& plot, float bottom) {
  for (const view::Tick& tick : axis.ticks) {
    const float x = x_of(axis, plot, tick.at);
    line_v(x, plot.y, bottom, color_of(Token::kGrid));
    text_centered(x, bottom + px(12), Type::kAxis, color_of(Token::kDim), tick.label);
  }
}

}  // namespace

float waterfall_height(const view::WaterfallView& view) {
  return px(kRow) * static_cast<float>(view.rows.size() + 2) + px(kAxis) + px(kNote);
}

bool draw_waterfall(const view::WaterfallView& view, const Rect& area,
                    view::CommandQueue& commands) {
  if (!view.shown) {
    sentence_wrapped(area.x, area.y + px(10), area.right(), px(20), view.empty, SentenceStyle{});
    return false;
  }
  Rect body = area;
  const Rect note = body.take_bottom(px(kNote));
  body.take_bottom(px(kAxis));
  Columns columns = columns_of(body);
  draw_axis(view.axis, columns.plot, body.bottom());
  const float height =
      std::min(px(kRow), std::floor(body.h / static_cast<float>(view.rows.size() + 2)));
  draw_end(view, view.ideal, body.take_top(height), columns, color_of(Token::kLine2));
  bool pressed = false;
  for (const view::WaterfallRow& row : view.rows) {
    if (!draw_row(view, row, body.take_top(height), columns)) continue;
    for (view::Command& command : view::show_evidence(row.evidence))
      commands.push_back(std::move(command));
    pressed = true;
  }
  const Rect last = body.take_top(height);
  line_h(last.x, last.right(), last.y, color_of(Token::kLine));
  const float measured = x_of(view.axis, columns.plot, view.measured.at);
  line_v(measured, last.y - height / 2 + px(10), last.middle_y() - px(10), color_of(Token::kDim));
  draw_end(view, view.measured, last, columns, color_of(Token::kAccentFill));
  text_fitted(note.x, note.middle_y(), note.w, Type::kLabel, color_of(Token::kDim), view.note);
  return pressed;
}

}  // namespace ringside::ui
