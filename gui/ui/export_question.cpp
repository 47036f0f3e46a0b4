// The question before an export: kind, tables, place.
#include "gui/view/export_question.h"

#include <imgui.h>

#include <array>
#include <cmath>

#include "gui/ui/modal.h"
#include "gui/ui/screen.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"

namespace ringside::ui {
namespace {

constexpr int kTableColumns = 3;

/// Kind and tables stay from run to run, the places are those of the run.
view::ExportChoice& choice_for(const view::ExportFacts& facts, ExportMemory& memory) {
  if (memory.id != facts.id) {
    memory.id = facts.id;
    memory.choice.paths = view::first_export_choice(facts).paths;
  }
  return memory.choice;
}

void choose_kind(Rect row, view::ExportChoice& choice) {
  constexpr std::array<view::ExportKind, view::kExportKinds> kKinds{
      view::ExportKind::kCsv, view::ExportKind::kTensorBoard, view::ExportKind::kHtml};
  std::array<const char*, view::kExportKinds> words{};
  for (std::size_t i = 0; i < kKinds.size(); ++i) words[i] = view::name_of(kKinds[i]);
  const int on =
      segmented("export kind", row.x, row.middle_y(), words, static_cast<int>(choice.kind), 22);
  choice.kind = static_cast<view::ExportKind>(on);
}

void choose_tables(const view::ExportQuestionView& question, Rect body,
                   view::ExportChoice& choice) {
  const float width = std::floor(body.w / kTableColumns);
  for (std::size_t i = 0; i < question.tables.size(); ++i) {
    const auto& table = question.tables[i];
    const auto column = static_cast<float>(i % kTableColumns);
    const auto line = static_cast<float>(i / kTableColumns);
    bool on = table.on;
    const std::string id = "Table " + table.name;
    if (!tick_box(id.c_str(), body.x + width * column, body.y + px(24) * line + px(12), on,
                  table.name))
      continue;
    if (on) choice.left_out.erase(table.name);
    if (!on) choice.left_out.insert(table.name);
  }
}

void choose_place(const view::ExportQuestionView& question, Rect row, view::ExportChoice& choice) {
  text_at(row.x, row.middle_y(), Type::kSmall, color(Token::kDim), question.where);
  const Rect field{row.x + px(54), row.y, row.w - px(54), row.h};
  text_field("##export path", field, choice.paths[static_cast<std::size_t>(choice.kind)],
             Type::kSmall);
}

/// True when the question is answered.
bool answer(const view::ExportFacts& facts, const view::ExportQuestionView& question,
            const view::ExportChoice& choice, Rect row, view::CommandQueue& commands) {
  const bool entered =
      !ImGui::GetIO().NavVisible && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                                     ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
  const bool pressed = button("Export##now", row.take_left(px(100), px(8)),
                              {ButtonKind::kPrimary, Icon::kNone, question.can_export});
  const bool left = button("Cancel##export", row.take_left(px(84), px(14))) ||
                    ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  text_fitted(row.x, row.middle_y(), row.w, Type::kSmall, color(Token::kWarning), question.problem);
  const bool done = !left && question.can_export && (pressed || entered);
  if (done) commands.emplace_back(view::export_command(facts, choice));
  return done || left;
}

}  // namespace

void export_question(const ScreenInput& input, ScreenMemory& memory, view::CommandQueue& commands) {
  if (!begin_modal("Export", input.exporting.asking, ImVec2(px(520), px(280)))) return;
  const view::ExportFacts& facts = input.exporting.facts;
  view::ExportChoice& choice = choice_for(facts, memory.exporting);
  Rect body = window_inside(18);
  const Rect head = body.take_top(px(22), px(6));
  choose_kind(body.take_top(px(24), px(8)), choice);
  const view::ExportQuestionView question = view::build_export_question(facts, choice);
  text_at(head.x, head.middle_y(), Type::kTitle, color(Token::kHigh), question.title);
  const Rect what = body.take_top(px(36), px(4));
  sentence_wrapped(what.x, what.y, what.right(), px(17),
                   view::Sentence{{question.what, view::Style::kDim}}, kDimSentence);
  choose_tables(question, body.take_top(px(72), px(8)), choice);
  choose_place(question, body.take_top(px(24)), choice);
  if (answer(facts, question, choice, body.take_bottom(px(28)), commands)) {
    commands.emplace_back(view::AskExport{facts.id, false});
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace ringside::ui
