// Elements that cover the panels: the questions before a stop and an export, the list of keys, and
// messages.
#include <imgui_internal.h>

#include <cmath>
#include <string>

#include "gui/ui/modal.h"
#include "gui/ui/scaling/scaling_page.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/screen.h"
#include "gui/view/window/palette.h"
#include "gui/view/window/sheet_labels.h"
#include "gui/view/window/stop_question.h"

namespace ringside::ui {
namespace {

void stop_body(const view::ScreenInput& input, bool narrow, view::CommandQueue& commands) {
  const Rect inside = window_inside(narrow ? 12 : 18);
  const ScrollArea scroll("stop body", inside);
  Rect body{scroll.content.x, scroll.content.y, scroll.content.w, px(400)};
  const std::string title =
      "Stop " + view::run_label(input.live.context.number, input.live.context.id) + "?";
  text_fitted(body.x, body.y + px(8), body.w, Type::kTitle, Token::kHigh, title);
  const view::StopQuestion question = view::stop_question(input.live.model, input.live.context);
  const float end = sentence_wrapped(body.x, body.y + px(26), body.right(), px(19),
                                     {{question.text, view::Style::kWords}}, SentenceStyle{});
  Rect row{body.x, end + px(12), body.w, px(narrow ? 100 : 28)};
  scroll.reach(row.bottom());
  const auto answer = [&](float width, const char* word, ButtonKind kind) {
    const Rect where = narrow ? row.take_top(px(28), px(8)) : row.take_left(px(width), px(8));
    return button(word, where, {kind});
  };
  // Enter gives the highlighted answer, unless the focus is on another.
  const bool enter =
      ImGui::IsKeyPressed(ImGuiKey_Enter, false) && !ImGui::GetCurrentContext()->NavCursorVisible;
  const bool checkpoint = answer(164, question.stop, ButtonKind::kPrimary) || enter;
  const bool now = question.now && answer(110, view::label::kStopNow, ButtonKind::kDanger);
  const bool keep = answer(120, question.keep, ButtonKind::kNormal) ||
                    ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  if (checkpoint)
    commands.emplace_back(view::StopRun{input.live.context.id, view::StopMode::kCheckpoint});
  if (now) commands.emplace_back(view::StopRun{input.live.context.id, view::StopMode::kNow});
  if (!checkpoint && !now && !keep) return;
  commands.emplace_back(view::AskStop{false});
  ImGui::CloseCurrentPopup();
}

void stop_question(const view::ScreenInput& input, view::CommandQueue& commands) {
  const bool narrow = ImGui::GetIO().DisplaySize.x < px(476);
  const bool longer = !input.live.context.baseline_of.empty();  // by a sentence
  const float height = px((narrow ? 290.0F : 166.0F) + (longer ? 40.0F : 0.0F));
  if (!begin_modal("Stop", input.sheets.stop, ImVec2(px(468), height))) return;
  stop_body(input, narrow, commands);
  ImGui::EndPopup();
}

/// Draws the keys in two columns, or in one if the sheet is narrow. Returns the y below.
float draw_key_lines(const Rect& body) {
  const auto keys = view::key_help();
  const std::size_t columns = body.w >= px(560) ? 2 : 1;
  const std::size_t rows = (keys.size() + columns - 1) / columns;
  const float width = std::floor(body.w / static_cast<float>(columns));
  const float names = std::fmin(px(132), std::floor(width * 0.42F));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const float x = body.x + width * static_cast<float>(i / rows);
    const float y = body.y + px(23) * static_cast<float>(i % rows) + px(12);
    text_fitted(x, y, names - px(6), Type::kNumber, Token::kHigh, keys[i].keys);
    text_fitted(x + names, y, width - names - px(8), Type::kSmall, Token::kText, keys[i].what);
  }
  return body.y + px(23) * static_cast<float>(rows);
}

void key_list(const view::ScreenInput& input, view::CommandQueue& commands) {
  const float height = px(78) + px(23) * static_cast<float>((view::key_help().size() + 1) / 2);
  if (!begin_modal("All keys", input.sheets.keys, ImVec2(px(780), height))) return;
  Rect body = window_inside(18);
  Rect head = body.take_top(px(24), px(8));
  const Rect close = head.take_right(px(72), px(8));
  text_fitted(head.x, head.middle_y(), head.w, Type::kTitle, Token::kHigh, view::label::kKeys);
  const bool done =
      button(view::label::kClose, close) || ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  {
    const ScrollArea scroll("key lines", body);
    scroll.reach(draw_key_lines(scroll.content));
  }
  end_modal(done, commands, view::ShowKeys{false});
}

/// Draws the text of a message with its buttons beside it, or below it if there is little room.
void draw_message(const view::Message& message, const Rect& area, ScreenMemory& memory,
                  view::CommandQueue& commands) {
  const view::Sentence text{{message.text, view::Style::kWords}};
  const bool acts = !message.action.empty() && message.command.has_value();
  const float action = acts ? button_width(message.action) : 0;
  const float copy = message.copies.empty() ? 0 : button_width(view::label::kCopyPath) + px(6);
  const float buttons = px(66) + action + copy;
  const bool below = area.w < buttons + px(200);
  const float words = below ? area.right() : area.right() - buttons - px(8);
  const float end = sentence_wrapped(area.x, area.y + px(2), words, px(19), text, SentenceStyle{});
  const float y = below ? end + px(6) : area.y;
  const std::string id = message.action + "##message action";
  const bool pressed = acts && button(id.c_str(), {area.right() - buttons, y, action, px(24)});
  if (pressed) commands.push_back(*message.command);
  if (copy > 0 &&
      button(view::label::kCopyPath, {area.right() - px(66) - copy, y, copy - px(6), px(24)}))
    ImGui::SetClipboardText(message.copies.c_str());
  if (button(view::label::kCloseMessage, {area.right() - px(60), y, px(60), px(24)}) || pressed)
    memory.closed_message = message.number;
  const float height = std::fmax(end - area.y, y + px(24) - area.y);
  const bool going = message.share >= 0;
  if (going)
    small_bar({area.x, area.y + height + px(6), area.w, px(6)}, message.share, Token::kAccent);
  ImGui::SetCursorScreenPos(ImVec2(area.x, area.y));
  ImGui::Dummy(ImVec2(area.w, height + (going ? px(14) : 0)));
}

void message_box(const view::Message& message, ScreenMemory& memory, view::CommandQueue& commands) {
  if (message.number == 0 || message.text.empty() || message.number == memory.closed_message)
    return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::fmin(px(560), std::fmax(screen.x * 0.6F, screen.x - px(420)));
  ImGui::SetNextWindowPos(ImVec2(screen.x - px(16), screen.y - px(36)), ImGuiCond_Always,
                          ImVec2(1, 1));
  ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(width, screen.y - px(44)));
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
      ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_AlwaysAutoResize;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color_of(Token::kRaised));
  ImGui::PushStyleColor(ImGuiCol_Border, color_of(token_of(message.tone), 0.6F));
  ImGui::Begin("message", nullptr, kFlags);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_message(message, {at.x, at.y, width - px(36), 0}, memory, commands);
  ImGui::End();
  ImGui::PopStyleColor(2);
}

}  // namespace

bool message_hovered() {
  const ImGuiWindow* const message = ImGui::FindWindowByName("message");
  return message != nullptr && message->Active &&
         ImGui::GetCurrentContext()->HoveredWindow == message;
}

void draw_questions(const view::ScreenInput& input, ScreenMemory& memory,
                    view::CommandQueue& commands) {
  manual_sheet(input, memory, commands);
  if (!input.sheets.manual) file_chooser(input.chooser, memory.chooser, commands);
  if (input.sheets.manual || input.chooser.open)
    return message_box(input.message, memory, commands);
  stop_question(input, commands);
  note_sheet(input, memory.note, commands);
  export_question(input, memory, commands);
  study_sheet(input, commands);
  key_list(input, commands);
  command_palette(input, memory, commands);
  machine_sheet(input, memory, commands);
  alert_settings(input, memory, commands);
  doctor_sheet(input, commands);
  stack_sheet(input, commands);
  settings_sheet(input, memory, commands);
  open_sheet(input, memory, commands);
  message_box(input.message, memory, commands);
}

}  // namespace ringside::ui
