// The sheet with the settings of alerts, over the page.

#include "gui/ui/help_mark.h"
#include "gui/ui/modal.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/screen.h"
#include "gui/view/window/sheet_labels.h"

namespace ringside::ui {
namespace {

void rule_rows(const view::AlertSettingsView& view, Rect& body, view::CommandQueue& commands) {
  for (std::size_t i = 0; i < view.rules.size(); ++i) {
    const view::AlertRuleView& rule = view.rules[i];
    const Rect row = body.take_top(px(24));
    bool on = rule.on;
    const std::string id = "Rule " + rule.word;
    if (tick_box(id.c_str(), row.x, row.middle_y(), on, rule.word))
      commands.emplace_back(view::SetAlertRule{i, on});
    text_fitted(row.x + px(200), row.middle_y(), row.w - px(200), Type::kLabel, Token::kDim,
                rule.hint);
  }
}

void outside_rows(const view::AlertSettingsView& view, AlertMemory& memory, Rect& body,
                  view::CommandQueue& commands) {
  const Rect notify = body.take_top(px(26));
  bool on = view.notify;
  if (tick_box(view::label::kDesktopNotifications, notify.x, notify.middle_y(), on,
               view::label::kDesktopNotifications))
    commands.emplace_back(view::SetAlertNotify{on});
  Rect row = body.take_top(px(26));
  text_at(row.x, row.middle_y(), Type::kSmall, Token::kText, "Command");
  row.take_left(px(70));
  const Rect use = row.take_right(px(56), px(8));
  text_field("##alert command", row, memory.typed, Type::kNumber, {}, "none");
  const bool differs = memory.typed != view.command;
  if (button(view::label::kUseCommand, use, {ButtonKind::kNormal, Icon::kNone, differs}))
    commands.emplace_back(view::SetAlertCommand{memory.typed});
  const Rect hint = body.take_top(px(20));
  text_fitted(hint.x, hint.middle_y(), hint.w, Type::kLabel, Token::kDim, view.command_hint);
  const Rect problem = body.take_top(px(20));
  if (!view.problem.empty()) {
    text_fitted(problem.x, problem.middle_y(), problem.w, Type::kLabel, Token::kError,
                view.problem);
  } else if (!view.file.empty()) {
    text_fitted(problem.x, problem.middle_y(), problem.w, Type::kLabel, Token::kDim,
                "Saved in " + view.file);
  }
}

/// Draws the content of the sheet; true if it is to be closed.
bool alert_body(const view::AlertSettingsView& view, Rect body, AlertMemory& memory,
                view::CommandQueue& commands) {
  text_at(body.x, body.y + px(6), Type::kTitle, Token::kHigh, "Alerts");
  const Rect head = body.take_top(px(26));
  Rect mark{head.x, head.y - px(5), head.w, px(22)};
  help_mark(mark, view::HelpSubject::kAlerts, commands);
  rule_rows(view, body, commands);
  const Rect always = body.take_top(px(22));
  text_fitted(always.x, always.middle_y(), always.w, Type::kLabel, Token::kDim, view.always);
  line_h(body.x, body.right(), body.y + px(4), Token::kLine);
  body.take_top(px(8));
  outside_rows(view, memory, body, commands);
  Rect row = body.take_bottom(px(28));
  if (button(view::label::kTryAlerts, row.take_left(px(72), px(8)),
             {ButtonKind::kNormal, Icon::kNone, view.can_try}))
    commands.emplace_back(view::TryAlerts{});
  tooltip("Sends a test alert");
  return button(view::label::kCloseAlerts, row.take_right(px(72))) ||
         ImGui::IsKeyPressed(ImGuiKey_Escape, false);
}

}  // namespace

void alert_settings(const view::ScreenInput& input, ScreenMemory& memory,
                    view::CommandQueue& commands) {
  const view::AlertSettingsView& view = input.alerts;
  const bool opens = input.sheets.alerts && !memory.alerts.open;
  memory.alerts.open = input.sheets.alerts;
  if (opens) memory.alerts.typed = view.command;
  const float height = px(226) + px(24) * static_cast<float>(view.rules.size());
  if (!begin_modal("Alert settings", input.sheets.alerts, ImVec2(px(680), height))) return;
  bool done = false;
  {
    const ScrollArea scroll("alerts body", window_inside(18));
    const Rect inside{scroll.content.x, scroll.content.y, scroll.content.w, height - px(37)};
    done = alert_body(view, inside, memory.alerts, commands);
    scroll.reach(inside.bottom());
  }
  end_modal(done, commands, view::ShowAlertSettings{false});
}

}  // namespace ringside::ui
