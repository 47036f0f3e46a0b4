// Draws the form of a new study as a sheet: its fields, and the plan in words before the start.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gui/ui/help_mark.h"
#include "gui/ui/modal.h"
#include "gui/ui/scaling/scaling_page.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr float kStudyLabelWidth = 110;
constexpr float kRowHeight = 32;
constexpr float kOwnHeight = 238;  ///< height of the sheet without its fields
constexpr std::size_t kMostSwitched = 4;

void draw_words(const view::StudyFormField& field, const Rect& row, const std::string& id,
                view::CommandQueue& commands) {
  std::vector<const char*> words;
  int on = 0;
  for (const std::string& word : field.words) {
    if (word == field.value) on = static_cast<int>(words.size());
    words.push_back(word.c_str());
  }
  const Rect list{row.x, row.y + px(2), std::min(row.w, px(220)), px(24)};
  const bool switched = words.size() <= kMostSwitched && segmented_width(words) <= row.w;
  const int picked = switched ? segmented(id.c_str(), row.x, row.middle_y(), words, on, 22)
                              : drop_list(id.c_str(), list, words, on);
  if (picked != on)
    commands.emplace_back(
        view::EditStudy{field.key, field.words[static_cast<std::size_t>(picked)]});
}

void draw_field(const view::StudyFormField& field, Rect row, view::CommandQueue& commands) {
  const Rect label = row.take_left(px(kStudyLabelWidth));
  text_fitted(label.x, label.middle_y(), label.w, Type::kSmall, Token::kDim, field.label);
  const std::string id = "##study " + field.key;
  if (field.tick) {
    bool on = field.value == "true";
    if (tick_box(("Study " + field.key).c_str(), row.x, row.middle_y(), on, field.hint))
      commands.emplace_back(view::EditStudy{field.key, on ? "true" : "false"});
    return;
  }
  if (!field.words.empty()) return draw_words(field, row, id, commands);
  std::string text = field.value;
  if (field.half) {
    if (text_field(id.c_str(), {row.x, row.y + px(2), row.w, px(24)}, text, Type::kSmall,
                   field.hint))
      commands.emplace_back(view::EditStudy{field.key, text});
    return;
  }
  const Rect where = row.take_left(std::min(row.w, px(field.wide ? 290 : 160)), px(12));
  if (text_field(id.c_str(), {where.x, where.y + px(2), where.w, px(24)}, text, Type::kNumber))
    commands.emplace_back(view::EditStudy{field.key, text});
  text_fitted(row.x, row.middle_y(), row.w, Type::kLabel, Token::kDim, field.hint);
}

/// Whether the field is to the right of the previous one: every second one in a sequence of halves.
bool stands_beside(const std::vector<view::StudyFormField>& fields, std::size_t place) {
  std::size_t halves = 0;
  while (halves <= place && fields[place - halves].half) ++halves;
  return halves > 0 && halves % 2 == 0;
}

float rows_height(const std::vector<view::StudyFormField>& fields) {
  float height = 0;
  for (std::size_t i = 0; i < fields.size(); ++i)
    height += stands_beside(fields, i) ? 0 : kRowHeight;
  return height;
}

void draw_all(const std::vector<view::StudyFormField>& fields, Rect& body,
              view::CommandQueue& commands) {
  Rect right;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (stands_beside(fields, i)) {
      draw_field(fields[i], right, commands);
      continue;
    }
    right = body.take_top(px(kRowHeight - 4), px(4));
    const float half = std::floor((right.w - px(16)) * 0.5F);
    draw_field(fields[i], fields[i].half ? right.take_left(half, px(16)) : right, commands);
  }
}

void draw_lines(const view::StudyFormView& form, const Rect& area) {
  const ScrollArea scroll("study plan", area);
  float y = scroll.content.y + px(2);
  const auto wrapped = [&](const std::string& line, view::Style style, Token color) {
    SentenceStyle words = kSmallSentence;
    words.color = color;
    y = sentence_wrapped(scroll.content.x, y, scroll.content.x + area.w - px(14), px(17),
                         {{line, style}}, words) +
        px(4);
  };
  if (!form.problem.empty()) wrapped(form.problem, view::Style::kWords, Token::kError);
  for (const std::string& line : form.lines) {
    const bool loud = line.starts_with("Differs") || line.starts_with("Warning");
    wrapped(line, view::Style::kWords, loud ? Token::kWarning : Token::kText);
  }
  scroll.reach(y);
}

}  // namespace

void study_sheet(const view::ScreenInput& input, view::CommandQueue& commands) {
  const view::StudyFormView& form = input.scaling.form;
  const float height = kOwnHeight + std::max(7 * kRowHeight, rows_height(form.fields));
  if (!begin_modal("New study", input.scaling.asking, ImVec2(px(620), px(height)))) return;
  Rect body = window_inside(18);
  Rect head = body.take_top(px(22), px(8));
  help_mark(head, view::HelpSubject::kStudy, commands);
  text_fitted(head.x, head.middle_y(), head.w, Type::kTitle, Token::kHigh, form.title);
  draw_all(form.fields, body, commands);
  Rect buttons = body.take_bottom(px(28), px(8));
  line_h(body.x, body.right(), body.y, Token::kLine);
  body.take_top(px(6));
  draw_lines(form, body);
  const Rect start = buttons.take_right(px(82), px(8));
  const bool pressed =
      button(view::label::kStartStudy, start, {ButtonKind::kPrimary, Icon::kPlay, form.can_start});
  tooltip("Ctrl Enter");
  const bool entered = ImGui::GetIO().KeyCtrl && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                                                  ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
  if (form.can_start && (pressed || entered)) commands.emplace_back(view::StartStudy{});
  const bool cancel = button(view::label::kCancelStudy, buttons.take_right(px(72), px(8)));
  end_modal(cancel || ImGui::IsKeyPressed(ImGuiKey_Escape, false), commands,
            view::AskStudy{false, {}, {}});
}

}  // namespace ringside::ui
