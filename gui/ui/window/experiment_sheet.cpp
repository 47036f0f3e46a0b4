// The published results beside those of a run or a study, in a sheet over the page.
#include <imgui_internal.h>

#include <cmath>

#include "gui/ui/help_mark.h"
#include "gui/ui/modal.h"
#include "gui/ui/table.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/screen.h"

namespace ringside::ui {
namespace {

constexpr float kExperimentLine = 18;
constexpr float kExperimentRow = 22;
constexpr float kExperimentHead = 24;
constexpr float kBar = 10;  // for the scroll bar of a wide table
constexpr float kWord = 140;

float note_at(const Rect& column, float y, const std::string& text) {
  return sentence_wrapped(column.x, y, column.right(), px(kExperimentLine),
                          {{text, view::Style::kDim}}, kDimSentence);
}

/// Draws shape and word with the sentence beside them. Returns the y of the next one.
float draw_verdict(const view::ExperimentVerdict& verdict, const Rect& column, float y) {
  const float middle = y + px(kExperimentLine / 2);
  const float word = state_word(column.x, middle, {verdict.word, verdict.shape, verdict.tone});
  const bool beside = column.w > px(kWord * 3);
  const float x = beside ? std::fmax(column.x + px(kWord), word + px(10)) : column.x;
  const float top = beside ? y : y + px(kExperimentLine);
  const float end = sentence_wrapped(x, top, column.right(), px(kExperimentLine),
                                     {{verdict.text, view::Style::kWords}}, kSmallSentence);
  return std::fmax(end, y + px(kExperimentLine)) + px(4);
}

float draw_verdicts(const std::vector<view::ExperimentVerdict>& verdicts, const Rect& column,
                    float y) {
  for (const view::ExperimentVerdict& one : verdicts) y = draw_verdict(one, column, y);
  return y;
}

float draw_heading(const std::string& words, const Rect& column, float y) {
  y += px(10);
  line_h(column.x, column.right(), y, Token::kLine);
  text_fitted(column.x, y + px(14), column.w, Type::kPanel, Token::kHigh, words);
  return y + px(26);
}

float draw_one_table(const view::Table& table, const Rect& column, float y) {
  y = draw_heading(table.title, column, y);
  TableStyle style{
      .head_height = kExperimentHead, .row_height = kExperimentRow, .left = 0, .right = 8};
  const float rows = static_cast<float>(table.rows.size()) * kExperimentRow;
  const float height = px(kExperimentHead + rows + kBar);
  const std::string id = "experiment " + table.key;
  (void)draw_table(id.c_str(), table, {column.x, y, column.w, height}, style);
  y += height + px(4);
  for (const std::string& note : table.notes) y = note_at(column, y, note) + px(2);
  return y;
}

float draw_all(const view::ExperimentView& view, const Rect& column) {
  float y = column.y;
  if (!view.shown())
    y = sentence_wrapped(column.x, y, column.right(), px(20), view.empty, SentenceStyle{});
  y = draw_verdicts(view.verdicts, column, y);
  if (!view.findings.empty()) {
    y = draw_heading("What the records give away", column, y);
    y = draw_verdicts(view.findings, column, y);
  }
  for (const view::Table& table : view.tables) y = draw_one_table(table, column, y);
  return y;
}

/// Lets the keys that would move the focus scroll, since nothing in the sheet needs the focus.
void scroll_keys() {
  const float page = std::fmax(px(40), ImGui::GetWindowHeight() - px(40));
  const ImGuiID owner = ImGui::GetID("scroll");
  const auto scroll = [owner](ImGuiKey key, float by) {
    ImGui::SetKeyOwner(key, owner);
    if (ImGui::IsKeyPressed(key)) ImGui::SetScrollY(ImGui::GetScrollY() + by);
  };
  scroll(ImGuiKey_DownArrow, px(40));
  scroll(ImGuiKey_UpArrow, -px(40));
  scroll(ImGuiKey_PageDown, page);
  scroll(ImGuiKey_PageUp, -page);
}

/// Draws the buttons; true if the sheet is to be closed.
bool button_row(const view::ExperimentView& view, Rect row, view::CommandQueue& commands) {
  const bool close = button(view::label::kCloseExperiment, row.take_right(px(72), px(8)));
  if (view.shown() && button(view::label::kCopyExperiment, row.take_right(px(64), px(8))))
    commands.emplace_back(view::CopyText{view::experiment_tsv(view)});
  return close || ImGui::IsKeyPressed(ImGuiKey_Escape, false);
}

}  // namespace

void experiment_sheet(const view::ScreenInput& input, const view::ExperimentView& view,
                      view::CommandQueue& commands) {
  const ImVec2 size(px(1160), px(view.shown() ? 780 : 180));
  if (!begin_modal(view::label::kExperimentSheet, input.sheets.experiment, size)) return;
  Rect body = window_inside(18);
  Rect title = body.take_top(px(24));
  help_mark(title, view::HelpSubject::kExperiment, commands);
  text_fitted(title.x, title.middle_y(), title.w, Type::kTitle, Token::kHigh,
              view.shown() ? view.title : std::string(view::label::kExperimentSheet));
  const Rect subtitle = body.take_top(px(20), px(8));
  text_fitted(subtitle.x, subtitle.middle_y(), subtitle.w, Type::kSubtitle, Token::kDim,
              view.subtitle);
  const Rect buttons = body.take_bottom(px(28), px(8));
  {
    const ScrollArea scroll("experiment body", body);
    Rect column = scroll.content;
    column.w -= px(12);
    scroll_keys();
    scroll.reach(draw_all(view, column));
  }
  end_modal(button_row(view, buttons, commands), commands, view::ShowExperiment{false});
}

}  // namespace ringside::ui
