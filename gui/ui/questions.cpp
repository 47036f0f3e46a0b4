// What stands over the panels: the questions before a stop and an export, the list of keys, the
// message box.
#include <cmath>

#include "gui/ui/modal.h"
#include "gui/ui/screen.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/palette.h"

namespace ringside::ui {
namespace {

void stop_question(const ScreenInput& input, view::CommandQueue& commands) {
  if (!begin_modal("Stop", input.asking_stop, ImVec2(px(468), px(166)))) return;
  Rect body = window_inside(18);
  const std::string title =
      "Stop " + view::run_label(input.live.context.number, input.live.context.id) + "?";
  text_at(body.x, body.y + px(8), Type::kTitle, color(Token::kHigh), title);
  const view::Sentence text{
      {"With a checkpoint every rank finishes its step, saves, and leaves; the run can be resumed. "
       "Stopped now, what was trained since the last checkpoint is lost.",
       view::Style::kWords}};
  sentence_wrapped(body.x, body.y + px(26), body.right(), px(19), text, SentenceLook{});
  Rect row = body.take_bottom(px(28));
  const auto answer = [&](float width, const char* word, ButtonKind kind) {
    return button(word, row.take_left(px(width), px(8)), {kind});
  };
  const bool checkpoint = answer(164, "Checkpoint and stop", ButtonKind::kPrimary);
  const bool now = answer(110, "Stop now…", ButtonKind::kDanger);
  const bool keep = answer(120, "Keep training", ButtonKind::kNormal) ||
                    ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  if (checkpoint)
    commands.emplace_back(view::StopRun{input.live.context.id, view::StopMode::kCheckpoint});
  if (now) commands.emplace_back(view::StopRun{input.live.context.id, view::StopMode::kNow});
  if (checkpoint || now || keep) {
    commands.emplace_back(view::AskStop{false});
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void key_list(const ScreenInput& input, view::CommandQueue& commands) {
  const auto keys = view::key_help();
  const float height = px(78) + px(23) * static_cast<float>((keys.size() + 1) / 2);
  if (!begin_modal("All keys", input.showing_keys, ImVec2(px(640), height))) return;
  Rect body = window_inside(18);
  text_at(body.x, body.y + px(6), Type::kTitle, color(Token::kHigh), "Keys");
  const Rect close{body.right() - px(72), body.y - px(6), px(72), px(24)};
  const bool done = button("Close", close) || ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  body.take_top(px(30));
  const std::size_t half = (keys.size() + 1) / 2;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const float x = body.x + (i < half ? 0.0F : std::floor(body.w * 0.5F));
    const float y = body.y + px(23) * static_cast<float>(i < half ? i : i - half) + px(12);
    text_at(x, y, Type::kNumber, color(Token::kHigh), keys[i].keys);
    text_at(x + px(132), y, Type::kSmall, color(Token::kText), keys[i].what);
  }
  if (done) {
    commands.emplace_back(view::ShowKeys{false});
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void message_box(const Message& message, ScreenMemory& memory, view::CommandQueue& commands) {
  if (message.number == 0 || message.number == memory.closed_message) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::fmin(px(560), screen.x * 0.6F);
  ImGui::SetNextWindowPos(ImVec2(screen.x - px(16), screen.y - px(36)), ImGuiCond_Always,
                          ImVec2(1, 1));
  ImGui::SetNextWindowSize(ImVec2(width, 0));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings |
                                      ImGuiWindowFlags_NoFocusOnAppearing;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, color(Token::kRaised));
  ImGui::PushStyleColor(ImGuiCol_Border, color(token_of(message.tone), 0.6F));
  ImGui::Begin("message", nullptr, kFlags);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + width - px(24);
  const view::Sentence text{{message.text, view::Style::kWords}};
  const bool acts = !message.action.empty() && message.command.has_value();
  const float action = acts ? button_width(message.action) : 0;
  const float end =
      sentence_wrapped(at.x, at.y + px(2), right - px(70) - action, px(19), text, SentenceLook{});
  const std::string id = message.action + "##message action";
  if (acts && button(id.c_str(), {right - px(66) - action, at.y, action, px(24)})) {
    commands.push_back(*message.command);
    memory.closed_message = message.number;
  }
  if (button("Close##message", {right - px(60), at.y, px(60), px(24)}))
    memory.closed_message = message.number;
  const float height = std::fmax(end - at.y, px(24));
  const bool going = message.share >= 0;
  if (going)
    small_bar({at.x, at.y + height + px(6), right - at.x, px(6)}, message.share,
              color(Token::kAccent));
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(ImVec2(1, height + (going ? px(14) : 0)));
  ImGui::End();
  ImGui::PopStyleColor(2);
}

}  // namespace

void draw_questions(const ScreenInput& input, ScreenMemory& memory, view::CommandQueue& commands) {
  stop_question(input, commands);
  export_question(input, memory, commands);
  key_list(input, commands);
  command_palette(input, memory, commands);
  alert_settings(input, memory, commands);
  message_box(input.message, memory, commands);
}

}  // namespace ringside::ui
