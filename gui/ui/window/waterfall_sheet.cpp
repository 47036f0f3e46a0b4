// Draws the sheet with the parts of the lost speedup and the what-if prediction, over Live.
#include <algorithm>

#include "gui/ui/help_mark.h"
#include "gui/ui/modal.h"
#include "gui/ui/rect.h"
#include "gui/ui/scaling/waterfall_panel.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/screen.h"
#include "gui/view/command.h"
#include "gui/view/scaling/tries.h"
#include "gui/view/scaling/what_if_view.h"

namespace ringside::ui {
namespace {

constexpr float kSliderRow = 26;
constexpr float kSliderLabel = 132;
constexpr float kBarRow = 22;
constexpr float kLine = 17;

void draw_sliders(Rect& area, Rank ranks, analysis::StepChange& change) {
  const auto sliders = view::what_if_sliders(change, ranks);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, color_of(Token::kLine));
  ImGui::PushStyleColor(ImGuiCol_SliderGrab, color_of(Token::kAccentFill));
  ImGui::PushStyleColor(ImGuiCol_Text, color_of(Token::kHigh));
  for (std::size_t i = 0; i < sliders.size(); ++i) {
    Rect row = area.take_top(px(kSliderRow));
    const Rect words = row.take_left(px(kSliderLabel), px(8));
    text_fitted(words.x, row.middle_y(), words.w, Type::kSmall, Token::kText, sliders[i].label);
    ImGui::SetCursorScreenPos(ImVec2(row.x, row.y + px(2)));
    ImGui::SetNextItemWidth(row.w);
    int at = sliders[i].at;
    const std::string id = std::string("##what if ") + sliders[i].label;
    if (ImGui::SliderInt(id.c_str(), &at, 0, sliders[i].stops - 1, sliders[i].text.c_str(),
                         ImGuiSliderFlags_NoInput | ImGuiSliderFlags_AlwaysClamp))
      change = view::moved(change, i, at);
  }
  ImGui::PopStyleColor(3);
}

/// The recorded and the predicted step time, with the uncertainty band of the latter.
void draw_bars(const view::WhatIfView& view, Rect& area) {
  for (const view::WhatIfBar& bar : view.bars) {
    Rect row = area.take_top(px(kBarRow));
    const Rect words = row.take_left(px(74), px(6));
    text_fitted(words.x, row.middle_y(), words.w, Type::kSmall, Token::kText, bar.label);
    text_right(row.right(), row.middle_y(), Type::kNumber, color_of(Token::kHigh), bar.text);
    row.take_right(px(70));
    const auto x_of = [&row](double share) { return row.x + row.w * static_cast<float>(share); };
    const bool band = bar.high > bar.low;
    fill({row.x, row.middle_y() - px(6), x_of(bar.share) - row.x, px(12)},
         color_of(band ? Token::kAccentFill : Token::kLine2));
    if (!band) continue;
    line_h(x_of(bar.low), x_of(bar.high), row.middle_y(), Token::kHigh);
    for (const double end : {bar.low, bar.high})
      line_v(x_of(end), row.middle_y() - px(4), row.middle_y() + px(4), Token::kHigh);
  }
}

void draw_text(Rect& area, const std::string& text, view::Style style) {
  if (text.empty() || area.h < px(kLine)) return;
  const float end = sentence_wrapped(area.x, area.y, area.right(), px(kLine), {{text, style}},
                                     style == view::Style::kDim ? kLabelSentence : kSmallSentence);
  area.take_top(end - area.y, px(4));
}

/// `change`: the state of the sliders. `busy`: a run that tests a prediction is being started.
void draw_what_if(const view::WhatIfView& view, bool busy, const Rect& area,
                  analysis::StepChange& change, view::CommandQueue& commands) {
  line_v(area.x, area.y, area.bottom(), Token::kLine);
  Rect body = area;
  body.take_left(px(14));
  const Rect head = body.take_top(px(22), px(4));
  text_at(head.x, head.middle_y(), Type::kPanel, Token::kHigh, view::label::kWhatIf);
  if (!view.shown) return draw_text(body, view.sentence, view::Style::kDim);
  const Rect foot = body.take_bottom(px(26), px(6));
  draw_sliders(body, view.ranks, change);
  body.take_top(px(8));
  draw_text(body, view.sentence, view::Style::kWords);
  draw_bars(view, body);
  for (const std::string& note : view.notes) draw_text(body, note, view::Style::kDim);
  for (const std::string& note : view.record.notes)
    draw_text(body, view.record.title + ": " + note, view::Style::kDim);
  const bool can = view.not_provable.empty() && !busy;
  if (button(view::label::kProveIt, {foot.x, foot.y, px(84), foot.h}, {.enabled = can}))
    commands.emplace_back(view::ProveChange{change});
  text_fitted(foot.x + px(94), foot.middle_y(), foot.w - px(94), Type::kLabel, Token::kDim,
              busy  ? "Starting…"
              : can ? view::label::kProveHint
                    : view.not_provable);
}

void draw_head(const view::WaterfallView& view, Rect row) {
  const float end = text_at(row.x, row.middle_y(), Type::kTitle, Token::kHigh, view.title);
  text_fitted(end + px(10), row.middle_y(), row.right() - end - px(10), Type::kSubtitle,
              Token::kDim, view.subtitle);
}

/// True if the sheet must close.
bool button_row(const view::WaterfallView& view, Rect row, view::CommandQueue& commands) {
  const bool tries =
      button(view::label::kTry, row.take_left(px(92), px(10)), {ButtonKind::kPrimary});
  tooltip("Changes that may shorten its largest parts, each measured in short runs (Y)");
  if (tries) commands.emplace_back(view::ShowTries{});
  const bool close = button(view::label::kCloseWaterfall, row.take_right(px(72), px(8)));
  if (view.shown && button(view::label::kCopyWaterfall, row.take_right(px(64), px(8))))
    commands.emplace_back(view::CopyText{view::table_tsv(view.table)});
  if (view.shown)
    text_fitted(row.x, row.middle_y(), row.w - px(8), Type::kLabel, Token::kDim,
                "Press a bar to see in Live what it is made of.");
  return tries || close || ImGui::IsKeyPressed(ImGuiKey_Escape, false);
}

}  // namespace

void waterfall_sheet(const view::ScreenInput& input, const view::WaterfallView& view,
                     ScreenMemory& memory, view::CommandQueue& commands) {
  constexpr float kWhatIf = 340;
  const float rows = view.shown ? waterfall_height(view).most : px(60);
  const ImVec2 size(px(1120 + kWhatIf), std::max(rows, px(390)) + px(136));
  if (!begin_modal(view::label::kWaterfallSheet, input.sheets.waterfall, size)) return;
  Rect body = window_inside(18);
  Rect head = body.take_top(px(24), px(6));
  help_mark(head, view::HelpSubject::kWaterfall, commands);
  draw_head(view, head);
  const Rect buttons = body.take_bottom(px(28), px(8));
  const Rect beside = body.take_right(px(kWhatIf), px(14));
  if (input.live.model != nullptr)
    draw_what_if(what_if_view(input, memory), input.what_if.busy, beside, memory.what_if, commands);
  if (view.shown) draw_fairness(view.fairness, body.take_top(px(22), px(8)));
  const bool pressed = draw_waterfall(view, body, commands);
  end_modal(button_row(view, buttons, commands) || pressed, commands, view::ShowWaterfall{false});
}

}  // namespace ringside::ui
