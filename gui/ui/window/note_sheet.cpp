// The sheet for a note at a step of the open run.
#include "gui/ui/modal.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/screen.h"
#include "gui/view/chart/chart_notes.h"

namespace ringside::ui {
namespace {

/// Draws field and buttons. Returns whether the sheet was answered.
bool draw_note(const view::RunContext& context, const std::string& before, Rect body,
               NoteMemory& memory, view::CommandQueue& commands) {
  if (!memory.focused) ImGui::SetKeyboardFocusHere();
  memory.focused = true;
  text_field("##note text", body.take_top(px(28), px(12)), memory.typed, Type::kBody, {},
             "What happened here, or what was changed");
  const bool entered =
      ImGui::IsItemDeactivated() && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                                     ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
  Rect row = body.take_top(px(28));
  const bool changed = memory.typed != before;
  const bool saved = button(view::label::kSaveNote, row.take_left(px(72), px(8)),
                            {ButtonKind::kPrimary, Icon::kNone, changed});
  const bool removed =
      !before.empty() && button(view::label::kRemoveNote, row.take_left(px(84), px(8)));
  const bool left = button(view::label::kCancelNote, row.take_left(px(84), px(8))) ||
                    ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  if (!left && (removed || (changed && (saved || entered)))) {
    view::EditLabels edit{context.id};
    edit.chart_notes = {{*memory.step, removed ? std::string() : memory.typed}};
    commands.emplace_back(std::move(edit));
  }
  return left || removed || saved || entered;
}

}  // namespace

void note_sheet(const view::ScreenInput& input, NoteMemory& memory, view::CommandQueue& commands) {
  const bool open = input.sheets.note.has_value() && input.live.model != nullptr;
  const view::RunContext& context = input.live.context;
  const std::string before = open ? view::note_text(context, *input.sheets.note) : std::string();
  if (!open) memory = {};
  if (open && memory.step != input.sheets.note) memory = {input.sheets.note, before, false};
  if (!begin_modal("Note", open, ImVec2(px(480), px(146)))) return;
  Rect body = window_inside(18);
  const Rect head = body.take_top(px(24), px(10));
  if (open)
    text_fitted(head.x, head.middle_y(), head.w, Type::kTitle, Token::kHigh,
                view::note_title(*input.live.model, context, *input.sheets.note));
  end_modal(open && draw_note(context, before, body, memory, commands), commands,
            view::AskNote{-1, false});
}

}  // namespace ringside::ui
