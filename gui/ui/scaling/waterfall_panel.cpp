#include "gui/ui/scaling/waterfall_panel.h"

#include <algorithm>
#include <cmath>

#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr float kLeastRow = 16;          // only the name
constexpr float kWaterfallHintRow = 28;  // with its number below
constexpr float kSentenceRow = 50;       // with the sentence in two lines
constexpr float kMostRow = 52;
constexpr float kAxis = 24;
constexpr float kNote = 20;
constexpr float kTextLine = 15;

/// Positions of the text, bars and numbers of every row.
struct WaterfallColumns {
  Rect words;
  Rect plot;
  float x_right = 0;
  float seconds_right = 0;
};

WaterfallColumns columns_of(Rect area) {
  WaterfallColumns columns;
  columns.seconds_right = area.right();
  area.take_right(px(76));
  columns.x_right = area.right();
  area.take_right(px(62), px(8));
  columns.words = area.take_left(std::floor(area.w * 0.5F), px(14));
  columns.plot = area;
  return columns;
}

float x_of(const view::AxisView& axis, const Rect& plot, double value) {
  const auto share = static_cast<float>(std::clamp(view::axis_share(axis, value), 0.0, 1.0));
  return std::floor(plot.x + plot.w * share);
}

void draw_label(const Rect& words, float middle, const std::string& label, bool strong) {
  text_fitted(words.x, middle, words.w, strong ? Type::kPanel : Type::kBody,
              strong ? Token::kHigh : Token::kText, label);
}

/// The part of `text` that fits on one line, cut after a word.
std::string first_line(const std::string& text, float width) {
  if (text_width(Type::kLabel, text) <= width) return text;
  const std::size_t most = fitting_part(Type::kLabel, text, width).size();
  const std::size_t space = text.rfind(' ', most);
  return text.substr(0, space == text.npos || space == 0 ? most : space);
}

/// Draws the text on one line, or on two if allowed.
void draw_lines(const Rect& words, float middle, const std::string& text, bool two) {
  const ImU32 color = color_of(Token::kDim);
  const std::string line = two ? first_line(text, words.w) : text;
  text_fitted(words.x, middle, words.w, Type::kLabel, color, line);
  if (line.size() == text.size()) return;
  text_fitted(words.x, middle + px(kTextLine), words.w, Type::kLabel, color,
              text.substr(text.find_first_not_of(' ', line.size())));
}

struct Words {
  const std::string& hint;
  const std::string& sentence;
};

/// Draws label and text. Returns the middle of the label.
float draw_words(const Rect& words, const Rect& row, const std::string& label, const Words& text,
                 bool strong) {
  const float middle = row.middle_y();
  const bool roomy = row.h >= px(kSentenceRow);
  const bool fits = text_width(Type::kLabel, text.sentence) <= words.w;
  const float apart = std::min(px(kTextLine), std::floor(row.h * 0.5F));
  const float lines = row.h < px(kWaterfallHintRow) ? 0.0F : roomy && !fits ? 2.0F : 1.0F;
  const float first = middle - std::floor(apart * lines * 0.5F);
  draw_label(words, first, label, strong);
  if (lines > 0) draw_lines(words, first + apart, roomy || fits ? text.sentence : text.hint, roomy);
  return first;
}

void draw_numbers(const WaterfallColumns& columns, float middle, const std::string& x,
                  const std::string& seconds, bool strong) {
  const Type type = strong ? Type::kNumberBold : Type::kNumber;
  const ImU32 color = color_of(strong ? Token::kHigh : Token::kText);
  text_right(columns.x_right, middle, type, color, x);
  text_right(columns.seconds_right, middle, Type::kNumber, color, seconds);
}

/// Two slanted lines that mark where the axis does not begin at zero.
void break_mark(float x, const Rect& bar) {
  const float lean = px(4);
  const float wide = px(4);
  ImGui::GetWindowDrawList()->AddQuadFilled(
      ImVec2(x + lean, bar.y - px(1)), ImVec2(x + lean + wide, bar.y - px(1)),
      ImVec2(x + wide, bar.bottom() + px(1)), ImVec2(x, bar.bottom() + px(1)),
      color_of(Token::kPanel));
}

Rect bar_between(const Rect& row, float a, float b) {
  const float height = std::min(px(20), std::floor(row.h * 0.62F));
  return {std::min(a, b), std::floor(row.middle_y() - height / 2), std::max(px(1), std::abs(a - b)),
          height};
}

/// Draws the line from the bar of the row above to the bar of this row.
void draw_link(float x, const Rect& row, const Rect& bar) {
  line_v(x, bar.bottom() - row.h, bar.y, Token::kDim);
}

void draw_end(const view::WaterfallView& view, const view::WaterfallEnd& end, const Rect& row,
              const WaterfallColumns& columns, ImU32 color) {
  const float middle = row.middle_y();
  draw_words(columns.words, row, end.label, {end.text, end.text}, true);
  const Rect bar = bar_between(row, columns.plot.x, x_of(view.axis, columns.plot, end.at));
  fill(bar, color);
  if (view.cut && bar.w > px(14)) break_mark(bar.x + px(4), bar);
  draw_numbers(columns, middle, end.x, end.seconds, true);
}

void draw_bar(const view::WaterfallRow& row, const Rect& bar) {
  if (row.hollow) {
    outline(bar, Token::kDim);
  } else if (row.gain) {
    fill(bar, Token::kOk);
  } else {
    fill(bar, paint_color(row.paint));
  }
}

/// True if the row was pressed.
bool draw_row(const view::WaterfallView& view, const view::WaterfallRow& row, const Rect& area,
              const WaterfallColumns& columns) {
  const Hit hit = hit_area(row.label.c_str(), area);
  tooltip(row.text, row.label);
  if (hit.hovered) fill(area, Token::kHover, 2);
  line_h(area.x, area.right(), area.y, Token::kLine);
  const float middle = area.middle_y();
  Rect words = columns.words;
  const Rect swatch = words.take_left(px(8), px(8));
  const float label = draw_words(words, area, row.label, {row.hint, row.text}, false);
  const Rect mark{swatch.x, std::floor(label - px(4)), px(8), px(8)};
  row.hollow ? outline(mark, Token::kDim) : fill(mark, paint_color(row.paint));
  const float from = x_of(view.axis, columns.plot, row.from);
  const Rect bar = bar_between(area, from, x_of(view.axis, columns.plot, row.to));
  draw_bar(row, bar);
  draw_link(from, area, bar);
  draw_numbers(columns, middle, row.x, row.seconds, false);
  return hit.clicked;
}

void draw_axis(const view::AxisView& axis, const Rect& plot, float bottom) {
  for (const view::Tick& tick : axis.ticks) {
    const float x = x_of(axis, plot, tick.at);
    line_v(x, plot.y, bottom, Token::kGrid);
    text_centered(x, bottom + px(12), Type::kAxis, Token::kDim, tick.label);
  }
}

}  // namespace

WaterfallHeight waterfall_height(const view::WaterfallView& view) {
  const auto rows = static_cast<float>(view.rows.size() + 2);
  const float rest = px(kAxis) + px(kNote);
  return {px(kLeastRow) * rows + rest, px(kMostRow) * rows + rest + px(kTextLine)};
}

void draw_fairness(const view::Verdict& verdict, const Rect& row) {
  if (verdict.text.empty()) return;
  const Icon icon = verdict.unfair()                  ? Icon::kWarning
                    : verdict.tone == view::Tone::kOk ? Icon::kTick
                                                      : Icon::kNone;
  const Token color = token_of(verdict.tone);
  const float x = shape_word(row.x, row.middle_y(), icon, color,
                             verdict.unfair() ? view::label::kNotFair : "") +
                  px(6);
  text_fitted(x, row.middle_y(), row.right() - x, Type::kSmall, Token::kText, verdict.text);
  hit_area("Fairness", row);
  tooltip(verdict.text + (verdict.more.empty() ? "" : " " + verdict.more), view::label::kFairTerm);
}

bool draw_waterfall(const view::WaterfallView& view, const Rect& area,
                    view::CommandQueue& commands) {
  if (!view.shown) {
    sentence_wrapped(area.x, area.y + px(10), area.right(), px(20), view.empty, SentenceStyle{});
    return false;
  }
  Rect body = area;
  const bool roomy = area.h >= waterfall_height(view).most;
  const Rect note = body.take_bottom(px(roomy ? kNote + kTextLine : kNote));
  body.take_bottom(px(kAxis));
  WaterfallColumns columns = columns_of(body);
  draw_axis(view.axis, columns.plot, body.bottom());
  const float height =
      std::min(px(kMostRow), std::floor(body.h / static_cast<float>(view.rows.size() + 2)));
  draw_end(view, view.ideal, body.take_top(height), columns, color_of(Token::kLine2));
  bool pressed = false;
  for (const view::WaterfallRow& row : view.rows) {
    if (!draw_row(view, row, body.take_top(height), columns)) continue;
    for (view::Command& command : view::show_evidence(row.evidence))
      commands.push_back(std::move(command));
    pressed = true;
  }
  const Rect last = body.take_top(height);
  line_h(last.x, last.right(), last.y, Token::kLine);
  const float measured = x_of(view.axis, columns.plot, view.measured.at);
  draw_link(measured, last, bar_between(last, measured, measured));
  draw_end(view, view.measured, last, columns, color_of(Token::kAccentFill));
  draw_lines(note, note.y + px(kNote / 2), view.note, roomy);
  return pressed;
}

}  // namespace ringside::ui
