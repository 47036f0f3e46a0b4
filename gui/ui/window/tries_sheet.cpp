// Draws the sheet with changes that may make the open run faster, and their results, over Live.
#include <array>

#include "gui/ui/help_mark.h"
#include "gui/ui/modal.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/screen.h"

namespace ringside::ui {
namespace {

struct Budget {
  const char* word;
  double seconds;
};
constexpr std::array<Budget, 3> kBudgets{{{"2 min", 120}, {"10 min", 600}, {"1 h", 3600}}};

/// Draws the choice of the budget and of the changes; removes its space from `row`.
void choose_budget(Rect& row, TriesMemory& memory) {
  std::array<const char*, kBudgets.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = kBudgets[i].word;
  const Rect budget = row.take_left(segmented_width(words), px(12));
  memory.budget =
      segmented("budget of tries", budget.x, budget.middle_y(), words, memory.budget, 22);
  tooltip("No change is begun that would take longer than this in all");
  const float width = text_width(Type::kBody, view::label::kOtherNumbers) + px(30);
  const Rect tick = row.take_left(width, px(12));
  tick_box(view::label::kOtherNumbers, tick.x, tick.middle_y(), memory.other_numbers,
           view::label::kOtherNumbers);
  tooltip("Changes too with which it computes in another precision or order");
}

/// True if the sheet must close.
bool button_row(const view::TryView& view, Rect row, TriesMemory& memory,
                view::CommandQueue& commands) {
  const bool close = button(view::label::kCloseTries, row.take_right(px(72), px(8)));
  if (button(view::label::kCopyTries, row.take_right(px(64), px(8))))
    commands.emplace_back(view::CopyText{view::table_tsv(view.table)});
  // Stop may be pressed twice, so this button is elsewhere.
  if (view.can_launch) {
    const Rect launch = row.take_right(px(122), px(8));
    if (button(view::label::kLaunchTried, launch, {ButtonKind::kPrimary}))
      commands.emplace_back(view::LaunchTried{});
    tooltip("Starts the whole run again with all changes that were kept");
  }
  if (view.going) {
    if (button(view::label::kStopTries, row.take_left(px(64), px(8)), {ButtonKind::kDanger}))
      commands.emplace_back(view::StopTries{});
    return close;
  }
  const ButtonKind kind = view.can_launch ? ButtonKind::kNormal : ButtonKind::kPrimary;
  const Rect start = row.take_left(px(64), px(12));
  if (button(view::label::kStartTries, start, {kind, Icon::kNone, view.can_start}))
    commands.emplace_back(view::StartTries{
        kBudgets[static_cast<std::size_t>(memory.budget)].seconds, memory.other_numbers});
  choose_budget(row, memory);
  return close;
}

/// Draws the sentences below the table, the notes first.
void draw_try_words(const view::TryView& view, const Rect& area) {
  float y = area.y;
  for (const std::string& note : view.table.notes)
    y = sentence_wrapped(area.x, y, area.right(), px(17), {{note, view::Style::kDim}},
                         kLabelSentence);
  text_fitted(area.x, area.bottom() - px(9), area.w, Type::kSmall, color_of(token_of(view.tone)),
              view.status);
}

}  // namespace

void tries_sheet(const view::ScreenInput& input, TriesMemory& memory,
                 view::CommandQueue& commands) {
  if (!begin_modal(view::label::kTry, input.sheets.tries, ImVec2(px(1400), px(560)))) return;
  const view::TryView& view = input.tries;
  Rect body = window_inside(18);
  Rect head = body.take_top(px(24), px(10));
  help_mark(head, view::HelpSubject::kTries, commands);
  const float end = text_at(head.x, head.middle_y(), Type::kTitle, Token::kHigh, view::label::kTry);
  text_fitted(end + px(10), head.middle_y(), head.right() - end - px(10), Type::kSubtitle,
              Token::kDim, view.subtitle);
  const Rect buttons = body.take_bottom(px(28), px(8));
  draw_try_words(
      view, body.take_bottom(px(26 + 17 * static_cast<float>(view.table.notes.size())), px(6)));
  (void)draw_table("tries", view.table, body);
  end_modal(
      button_row(view, buttons, memory, commands) || ImGui::IsKeyPressed(ImGuiKey_Escape, false),
      commands, view::ShowTries{false});
}

}  // namespace ringside::ui
