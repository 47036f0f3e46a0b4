// The call stacks of ranks in a sheet over the page: asks first, since reading them stops the
// process for a moment.
#include <algorithm>
#include <cmath>

#include "gui/ui/help_mark.h"
#include "gui/ui/modal.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/screen.h"

namespace ringside::ui {
namespace {

constexpr float kStackLine = 18;

void draw_lines(const view::StackView& stack, const Rect& body) {
  const ScrollArea scroll("stack lines", body);
  const Rect& inside = scroll.content;
  const float height = px(kStackLine);
  const auto count = static_cast<float>(stack.lines.size());
  const float above = std::clamp(std::floor((body.y - inside.y) / height), 0.0F, count);
  const float below = std::clamp(std::ceil((body.bottom() - inside.y) / height), 0.0F, count);
  for (auto i = static_cast<std::size_t>(above); i < static_cast<std::size_t>(below); ++i) {
    const view::StackLine& line = stack.lines[i];
    text_fitted(inside.x, inside.y + height * (static_cast<float>(i) + 0.5F), inside.w,
                Type::kNumber, token_of(line.tone), line.text);
  }
  scroll.reach(inside.y + height * count);
}

void draw_words(const std::string& text, const Rect& body) {
  const ScrollArea scroll("stack words", body);
  const Rect& inside = scroll.content;
  scroll.reach(sentence_wrapped(inside.x, inside.y, inside.right(), px(19),
                                {{text, view::Style::kWords}}, SentenceStyle{}));
}

void draw_stack_body(const view::StackView& stack, const Rect& body) {
  for (const std::string* words : {&stack.problem, &stack.question, &stack.progress}) {
    if (!words->empty()) return draw_words(*words, body);
  }
  draw_lines(stack, body);
}

/// Draws the buttons; true if the sheet is to be closed.
bool stack_buttons(const view::StackView& stack, Rect row, view::CommandQueue& commands) {
  const bool asks = !stack.question.empty();
  const char* word = asks ? view::label::kReadStack : view::label::kReadStackAgain;
  const ButtonStyle read{asks ? ButtonKind::kPrimary : ButtonKind::kNormal, Icon::kNone,
                         stack.progress.empty()};
  if (button(word, row.take_left(px(asks ? 124 : 96), px(8)), read))
    commands.emplace_back(view::ReadStack{});
  if (!stack.text.empty() && button(view::label::kCopyStack, row.take_left(px(72), px(8)),
                                    {ButtonKind::kNormal, Icon::kCopy}))
    commands.emplace_back(view::CopyText{stack.text});
  return button(view::label::kCloseStack, row.take_right(px(72), px(8)));
}

}  // namespace

void stack_sheet(const view::ScreenInput& input, view::CommandQueue& commands) {
  const view::StackView& stack = input.stack;
  const bool small = stack.lines.empty();
  if (!begin_modal("Stack sheet", stack.open, ImVec2(px(small ? 560 : 900), px(small ? 214 : 620))))
    return;
  Rect body = window_inside(18);
  Rect head = body.take_top(px(24), px(8));
  help_mark(head, view::HelpSubject::kStack, commands);
  text_fitted(head.x, head.middle_y(), head.w, Type::kTitle, Token::kHigh, stack.title);
  const Rect buttons = body.take_bottom(px(28), px(8));
  draw_stack_body(stack, body);
  const bool done = stack_buttons(stack, buttons, commands);
  end_modal(done || ImGui::IsKeyPressed(ImGuiKey_Escape, false), commands,
            view::AskStack{kNoRank, false});
}

}  // namespace ringside::ui
