// The sheet with the checks of this machine, over the page.

#include "gui/ui/help_mark.h"
#include "gui/ui/modal.h"
#include "gui/ui/table.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/screen.h"
#include "gui/view/window/sheet_labels.h"

namespace ringside::ui {
namespace {

/// Draws the line below the table: what is running, or where the report is.
void status_line(const view::DoctorView& view, const Rect& row) {
  const bool bad = !view.problem.empty();
  std::string words = view.report.empty() ? "" : "Report to send: " + view.report;
  if (!view.progress.empty()) words = "Checking: " + view.progress;
  if (bad) words = view.problem;
  text_fitted(row.x, row.middle_y(), row.w, Type::kLabel, bad ? Token::kError : Token::kDim, words);
}

/// Draws the buttons; true if the sheet is to be closed.
bool button_row(const view::DoctorView& view, Rect row, view::CommandQueue& commands) {
  const bool idle = view.progress.empty();
  const auto press = [&row](const char* word, float width, ButtonKind kind, bool enabled) {
    return button(word, row.take_left(px(width), px(8)), {kind, Icon::kNone, enabled});
  };
  if (press(view::label::kRunAgain, 86, ButtonKind::kNormal, idle))
    commands.emplace_back(view::ShowDoctor{});
  tooltip("Looks at devices, programs, folders and ports again");
  if (press(view::label::kCheckTraining, 116, ButtonKind::kPrimary, idle))
    commands.emplace_back(view::ExamineTraining{false});
  tooltip("Short real runs on CPU slots, about a minute");
  if (view.can_use_gpus) {
    if (press(view::label::kCheckGpus, 100, ButtonKind::kPrimary, idle))
      commands.emplace_back(view::ExamineTraining{true});
    tooltip("All twelve checks on the free GPUs, some minutes");
  }
  if (!idle && press(view::label::kCancelChecks, 72, ButtonKind::kNormal, true))
    commands.emplace_back(view::CancelExamination{});
  const bool close = button(view::label::kCloseDoctor, row.take_right(px(72), px(8)));
  if (button(view::label::kCopyChecks, row.take_right(px(64), px(8))))
    commands.emplace_back(view::CopyText{view::table_tsv(view.table)});
  return close;
}

}  // namespace

void doctor_sheet(const view::ScreenInput& input, view::CommandQueue& commands) {
  if (!begin_modal("Doctor", input.sheets.doctor, ImVec2(px(900), px(620)))) return;
  Rect body = window_inside(18);
  text_at(body.x, body.y + px(6), Type::kTitle, Token::kHigh, "Doctor");
  const Rect head = body.take_top(px(26));
  Rect mark{head.x, head.y - px(5), head.w, px(22)};
  help_mark(mark, view::HelpSubject::kDoctor, commands);
  const Rect buttons = body.take_bottom(px(28), px(8));
  const Rect status = body.take_bottom(px(20), px(6));
  (void)draw_table("doctor checks", input.doctor.table, body);
  status_line(input.doctor, status);
  const bool done = button_row(input.doctor, buttons, commands);
  end_modal(done || ImGui::IsKeyPressed(ImGuiKey_Escape, false), commands, view::ShowDoctor{false});
}

}  // namespace ringside::ui
