// The question before an export: kind, tables, and path.
#include "gui/view/runs/export_question.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/ui/help_mark.h"
#include "gui/ui/modal.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/screen.h"

namespace ringside::ui {
namespace {

constexpr float kTableWidth = 150;
constexpr float kTableRow = 24;

/// The choice for an export: kind and tables stay from run to run, paths are those of the run.
view::ExportChoice& choice_for(const view::ExportFacts& facts, const view::Browsed& browsed,
                               ExportMemory& memory) {
  if (memory.ids != facts.ids) {
    memory.ids = facts.ids;
    memory.choice.paths = view::first_export_choice(facts).paths;
  }
  const bool file = view::exports_file(memory.choice.kind, facts.several());
  const auto use = file ? view::ChooserUse::kSaveFile : view::ChooserUse::kSaveFolder;
  if (browsed.times != memory.browsed && browsed.use == use)
    memory.choice.paths[static_cast<std::size_t>(memory.choice.kind)] = browsed.path;
  memory.browsed = browsed.times;
  return memory.choice;
}

void choose_kind(Rect row, view::ExportChoice& choice) {
  constexpr std::array<view::ExportKind, view::kExportKinds> kKinds{
      view::ExportKind::kCsv, view::ExportKind::kTensorBoard, view::ExportKind::kHtml,
      view::ExportKind::kTrace};
  std::array<const char*, view::kExportKinds> words{};
  for (std::size_t i = 0; i < kKinds.size(); ++i) words[i] = view::name_of(kKinds[i]);
  const auto on = static_cast<int>(choice.kind);
  const Rect list{row.x, row.y + px(1), std::min(row.w, px(160)), px(22)};
  choice.kind = static_cast<view::ExportKind>(
      segmented_width(words) <= row.w
          ? segmented("export kind", row.x, row.middle_y(), words, on, 22)
          : drop_list("export kind", list, words, on));
}

/// Draws the choice of tables, three in a row if they fit. Cuts the height of `count` tables off
/// `body`, so that the sheet keeps its size when the kind changes.
void choose_tables(const view::ExportQuestionView& question, std::size_t count, Rect& body,
                   view::ExportChoice& choice) {
  if (Rect links = body.take_top(px(20), px(2)); !question.tables.empty()) {
    if (button(view::label::kAllTables, links.take_left(px(44), px(6)))) choice.left_out.clear();
    if (button(view::label::kNoTables, links.take_left(px(52))))
      for (const auto& table : question.tables) choice.left_out.insert(table.name);
  }
  const auto columns =
      static_cast<std::size_t>(std::clamp(std::floor(body.w / px(kTableWidth)), 1.0F, 3.0F));
  const std::size_t rows = (count + columns - 1) / columns;
  const Rect area = body.take_top(px(kTableRow) * static_cast<float>(rows), px(8));
  const float width = std::floor(area.w / static_cast<float>(columns));
  for (std::size_t i = 0; i < question.tables.size(); ++i) {
    const auto& table = question.tables[i];
    const auto column = static_cast<float>(i % columns);
    const auto line = static_cast<float>(i / columns);
    bool on = table.on;
    const std::string id = "Table " + table.name;
    if (!tick_box(id.c_str(), area.x + width * column, area.y + px(kTableRow) * line + px(12), on,
                  table.name))
      continue;
    if (on) choice.left_out.erase(table.name);
    if (!on) choice.left_out.insert(table.name);
  }
}

void choose_place(const view::ExportQuestionView& question, bool file, Rect row,
                  view::ExportChoice& choice, view::CommandQueue& commands) {
  text_at(row.x, row.middle_y(), Type::kSmall, Token::kDim, question.where);
  std::string& path = choice.paths[static_cast<std::size_t>(choice.kind)];
  Rect field{row.x + px(54), row.y, row.w - px(54), row.h};
  if (button(view::label::kBrowseExport, field.take_right(px(80), px(8))))
    commands.emplace_back(view::BrowseExport{path, file});
  text_field("##export path", field, path, Type::kSmall);
}

/// Draws the buttons and cuts their rows off `body`; a problem that prevents the export gets a row
/// of its own if it does not fit beside them. Returns whether the question was answered.
bool answer(const view::ExportFacts& facts, const view::ExportQuestionView& question,
            const view::ExportChoice& choice, Rect& body, view::CommandQueue& commands) {
  const bool narrow = body.w < px(400);
  Rect row = body.take_top(px(28), narrow ? px(4) : 0);
  const bool entered =
      !ImGui::GetIO().NavVisible && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                                     ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
  const bool pressed = button(view::label::kExportNow, row.take_left(px(100), px(8)),
                              {ButtonKind::kPrimary, Icon::kNone, question.can_export});
  const bool left = button("Cancel##export", row.take_left(px(84), px(14))) ||
                    ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  const Rect words = narrow ? body.take_top(px(20)) : row;
  text_fitted(words.x, words.middle_y(), words.w, Type::kSmall, Token::kWarning, question.problem);
  const bool done = !left && question.can_export && (pressed || entered);
  if (done) commands.emplace_back(view::export_command(facts, choice));
  return done || left;
}

/// Draws the question from top to bottom in the height it needs; true if it was answered.
bool draw_question(const view::ExportFacts& facts, view::ExportChoice& choice, Rect body,
                   view::CommandQueue& commands) {
  const ScrollArea scroll("export body", body);
  constexpr float kMost = 1000;  // more than the height of all rows
  body = {scroll.content.x, scroll.content.y, scroll.content.w, px(kMost)};
  Rect head = body.take_top(px(22), px(6));
  help_mark(head, view::HelpSubject::kExport, commands);
  choose_kind(body.take_top(px(24), px(8)), choice);
  const view::ExportQuestionView question = view::build_export_question(facts, choice);
  text_fitted(head.x, head.middle_y(), head.w, Type::kTitle, Token::kHigh, question.title);
  const float end =
      sentence_wrapped(body.x, body.y, body.right(), px(17),
                       view::Sentence{{question.what, view::Style::kDim}}, kDimSentence);
  body.take_top(std::max(end - body.y, px(36)), px(4));
  choose_tables(question, facts.tables.size(), body, choice);
  choose_place(question, view::exports_file(choice.kind, facts.several()),
               body.take_top(px(24), px(12)), choice, commands);
  const bool done = answer(facts, question, choice, body, commands);
  scroll.reach(body.y);
  return done;
}

}  // namespace

void export_question(const view::ScreenInput& input, ScreenMemory& memory,
                     view::CommandQueue& commands) {
  const view::ExportFacts& facts = input.exporting.facts;
  const auto rows = static_cast<float>((facts.tables.size() + 2) / 3);
  const ImVec2 size(px(520), px(230 + kTableRow * rows));
  if (!begin_modal("Export", input.exporting.asking, size)) return;
  view::ExportChoice& choice = choice_for(facts, input.browsed, memory.exporting);
  end_modal(draw_question(facts, choice, window_inside(18), commands), commands,
            view::AskExport{facts.ids, false});
}

}  // namespace ringside::ui
