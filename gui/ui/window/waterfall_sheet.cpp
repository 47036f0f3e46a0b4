// Draws the sheet with the parts of the lost speedup and the what-if prediction, over Live.
#include <algorithm>

#include "gui/ui/help_mark.h"
#include "gui/ui/modal.h"
#include "gui/ui/scaling/waterfall_panel.h"
#include "gui/ui/scaling/what_if_panel.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/screen.h"
#include "gui/view/scaling/tries.h"

namespace ringside::ui {
namespace {

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
  if (button_row(view, buttons, commands) || pressed) {
    commands.emplace_back(view::ShowWaterfall{false});
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace ringside::ui
