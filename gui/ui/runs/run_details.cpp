// The selected run beside the list: its labels, its facts, and actions.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "gui/model/run_model.h"
#include "gui/ui/runs/runs_panels.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/view/live/speedup_view.h"

namespace ringside::ui {
namespace {

constexpr float kDetailLabelWidth = 78;

bool labelled_field(const char* id, const char* label, const Rect& row, std::string& text,
                    const char* hint) {
  text_at(row.x, row.middle_y(), Type::kSmall, Token::kDim, label);
  return text_field(id,
                    {row.x + px(kDetailLabelWidth), row.y, row.w - px(kDetailLabelWidth), px(24)},
                    text, Type::kSmall, {}, hint);
}

bool note_field(const Rect& row, std::string& text) {
  text_at(row.x, row.y + px(12), Type::kSmall, Token::kDim, "Note");
  const FontScope font(Type::kSmall);
  ImGui::SetCursorScreenPos(ImVec2(row.x + px(kDetailLabelWidth), row.y));
  ImGui::PushStyleColor(ImGuiCol_Text, color_of(Token::kHigh));
  const bool changed =
      ImGui::InputTextMultiline("##run note", &text, ImVec2(row.w - px(kDetailLabelWidth), row.h),
                                ImGuiInputTextFlags_WordWrap);
  ImGui::PopStyleColor();
  return changed;
}

/// Takes a label that another window changed, unless it was edited here.
void follow(const std::string& now, TypedLabel& typed) {
  if (now == typed.known) return;
  if (typed.text == typed.known) typed.text = now;
  typed.known = now;
}

/// Keeps the typed text until another run is selected.
void draw_labels(const view::RunDetailsView& run, Rect& body, LabelsMemory& typed,
                 view::CommandQueue& commands) {
  if (typed.id != run.id) {
    typed = {run.id, {run.name, run.name}, {run.tags, run.tags}, {run.note, run.note}};
  }
  follow(run.name, typed.name);
  follow(run.tags, typed.tags);
  follow(run.note, typed.note);
  const Rect labels{body.x, body.y, body.w, px(154)};
  ImGui::BeginDisabled(!run.locked.empty());
  view::EditLabels edit{typed.id};
  if (labelled_field("##run name", "Name", body.take_top(px(24), px(6)), typed.name.text,
                     run.name_hint.c_str()))
    edit.name = typed.name.text;
  if (labelled_field("##run tags", "Tags", body.take_top(px(24), px(6)), typed.tags.text,
                     "comma-separated"))
    edit.tags = typed.tags.text;
  if (note_field(body.take_top(px(84), px(10)), typed.note.text)) edit.note = typed.note.text;
  ImGui::EndDisabled();
  if (!run.locked.empty()) note_cut(labels, run.locked);
  if (edit != view::EditLabels{typed.id}) commands.emplace_back(std::move(edit));
}

void draw_facts(const view::RunDetailsView& run, Rect& body) {
  for (const view::Fact& fact : run.facts) {
    const Rect row = body.take_top(px(22));
    text_at(row.x, row.middle_y(), Type::kSmall, Token::kDim, fact.label);
    sentence_at(row.x + px(kDetailLabelWidth) + px(20), row.middle_y(), row.right(), fact.value,
                kSmallSentence);
  }
}

void draw_actions(const view::RunDetailsView& run, Rect& body, view::CommandQueue& commands) {
  const float half = std::floor((body.w - px(8)) * 0.5F);
  Rect first = body.take_top(px(28), px(8));
  Rect second = body.take_top(px(28), px(8));
  if (button(view::label::kUseSettings, first.take_left(half, px(8)),
             {ButtonKind::kNormal, Icon::kPlay}))
    commands.emplace_back(view::UseSettings{run.id});
  if (button(view::label::kUseAsBaseline, first.take_left(half))) {
    commands.emplace_back(view::SetBaseline{run.id});
  }
  if (button(view::label::kOpenFolder, second.take_left(half, px(8)),
             {ButtonKind::kNormal, Icon::kFolder}))
    commands.emplace_back(view::OpenFolder{run.folder});
  if (button(view::label::kDelete, second.take_left(half),
             {ButtonKind::kDanger, Icon::kNone, run.can_delete}))
    commands.emplace_back(view::TrashRun{run.id});
  tooltip(run.can_delete ? "Ctrl Z takes it back" : "Stop it first");
}

}  // namespace

void draw_run_details(const view::RunDetailsView& run, const Rect& area, LabelsMemory& typed,
                      view::CommandQueue& commands) {
  const float state = run.shown ? px(24) + text_width(Type::kSmall, run.state.word) : 0;
  const PanelFrame panel("run details", area, run.shown ? run.heading : "No run is selected", {},
                         state);
  if (!run.shown) {
    const view::Sentence words{
        {"Select a run to name it, tag it and write a note.", view::Style::kDim}};
    sentence_centered(panel.body.middle_x(), panel.body.middle_y(), words, kDimSentence);
    return;
  }
  ImGui::PushID(run.id.c_str());
  state_word(panel.header.right() - state + px(8), panel.header.middle_y(), run.state);
  {
    const ScrollArea scroll("run body", panel.body);
    const float needed = px(24) + px(320) + px(22) * static_cast<float>(run.facts.size());
    Rect body =
        Rect{scroll.content.x, scroll.content.y, scroll.content.w, std::max(panel.body.h, needed)}
            .inset(px(14), px(12));
    draw_labels(run, body, typed, commands);
    draw_actions(run, body, commands);
    draw_facts(run, body);
    const view::Sentence hint{
        {"Mark two or more runs, with Space or their check boxes, to compare them here.",
         view::Style::kDim}};
    if (body.h > px(40))
      sentence_wrapped(body.x, body.bottom() - px(34), body.right(), px(17), hint, kDimSentence);
    scroll.reach(scroll.content.y + std::max(panel.body.h - 1, needed));
  }
  ImGui::PopID();
}

}  // namespace ringside::ui
