// Draws the command palette and similar lists.
#include <imgui_internal.h>

#include <algorithm>

#include "gui/model/run_model.h"
#include "gui/ui/help_mark.h"
#include "gui/ui/modal.h"
#include "gui/ui/tone.h"
#include "gui/ui/widgets.h"
#include "gui/ui/window/entry_sheet.h"
#include "gui/view/live/rank_table.h"
#include "gui/view/window/palette.h"

namespace ringside::ui {

namespace {

view::PaletteFacts facts_of(const view::ScreenInput& input, const ScreenMemory& memory) {
  view::PaletteFacts facts;
  const view::RunContext& context = input.live.context;
  facts.page = input.page;
  facts.light = theme().light;
  facts.has_run = input.live.model != nullptr;
  facts.can_stop = facts.has_run && context.contact == view::Contact::kLive && context.ours;
  facts.can_resume = facts.has_run && view::can_resume(*input.live.model, context);
  if (facts.can_stop) facts.ranks = view::ranks_with_stack(*input.live.model, context);
  facts.paused = context.paused;
  facts.replaying = context.replaying;
  facts.logarithmic = input.live.choice.logarithmic;
  facts.plan = input.live.choice.plan;
  facts.smoothing = input.live.choice.smoothing;
  facts.selected = input.runs.choice.selected;
  facts.marked.assign(input.runs.choice.marked.begin(), input.runs.choice.marked.end());
  if (input.sampler.model != nullptr) facts.sampled = input.sampler.id;
  if (input.scaling.facts != nullptr) facts.study = input.scaling.facts->study.head.study;
  facts.presets = input.launch.presets;
  facts.studies = input.scaling.ready;
  facts.runs = input.runs.runs;
  facts.compared = input.runs.compared;
  facts.compare = input.runs.choice.compare;
  facts.machine = input.machine.name;
  facts.machines = input.machine.known;
  facts.room = view::first_free(input.board.machines, input.board.need);
  facts.help = help_place(input, memory);
  facts.manual = input.manual.manual;
  for (std::size_t i = 0; i < kDocks; ++i) facts.closed[i] = memory.arrangement.closed[i];
  return facts;
}

/// Up and Down select, Enter picks. True if an entry was picked.
bool choose_entry(const std::vector<view::PaletteEntry>& entries, PaletteMemory& memory) {
  const auto last = static_cast<int>(entries.size()) - 1;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++memory.selected;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --memory.selected;
  memory.selected = std::clamp(memory.selected, 0, std::max(0, last));
  return last >= 0 && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                       ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
}

/// Returns the pressed entry, or -1.
int draw_entries(const std::vector<view::PaletteEntry>& entries, const Rect& area,
                 const PaletteMemory& memory) {
  int pressed = -1;
  const ScrollArea scroll("entries", area);
  const float height = px(26);
  float y = scroll.content.y;
  for (int i = 0; i < static_cast<int>(entries.size()); ++i) {
    const view::PaletteEntry& entry = entries[static_cast<std::size_t>(i)];
    const Rect row{scroll.content.x, y, scroll.content.w, height};
    const bool on = i == memory.selected;
    if (on && memory.moved) ImGui::SetScrollFromPosY(y - ImGui::GetWindowPos().y, 0.5F);
    if (row.bottom() > area.y - height && row.y < area.bottom() + height) {
      const Hit hit = hit_area(entry.title.c_str(), row);
      if (on || hit.hovered) fill(row, on ? Token::kSelected : Token::kHover, 4);
      const float keys =
          text_right(row.right() - px(10), row.middle_y(), Type::kNumber, Token::kDim, entry.keys);
      text_fitted(row.x + px(10), row.middle_y(), keys - row.x - px(24), Type::kBody,
                  on ? Token::kHigh : Token::kText, entry.title);
      if (hit.clicked) pressed = i;
    }
    y += height;
  }
  scroll.reach(y);
  return pressed;
}

}  // namespace

void entry_sheet(const EntrySheet& sheet, bool wanted, PaletteMemory& memory,
                 const EntriesFor& entries_for, view::CommandQueue& commands) {
  if (!wanted) memory = {};
  if (!begin_modal(sheet.id, wanted, ImVec2(px(560), px(420)))) return;
  Rect body = window_inside(14);
  Rect field = body.take_top(px(28), px(8));
  if (sheet.help) help_mark(field, *sheet.help, commands);
  if (!memory.focused) ImGui::SetKeyboardFocusHere();
  memory.focused = true;
  const std::string before = memory.typed;
  text_field(sheet.field, field, memory.typed, Type::kBody, {}, sheet.hint);
  const int selected = memory.selected;
  if (memory.typed != before) memory.selected = 0;
  const auto entries = entries_for(memory.typed);
  int taken = choose_entry(entries, memory) ? memory.selected : -1;
  memory.moved = memory.selected != selected;
  if (!sheet.note.empty()) {
    const Rect note = body.take_bottom(px(36), px(8));
    sentence_wrapped(note.x + px(10), note.y, note.right() - px(10), px(17),
                     {{sheet.note, view::Style::kWords}}, kDimSentence);
  }
  if (entries.empty())
    text_at(body.x + px(10), body.y + px(14), Type::kBody, Token::kDim, "No matches.");
  if (const int pressed = draw_entries(entries, body, memory); pressed >= 0) taken = pressed;
  const bool leave = taken >= 0 || ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  if (leave) {
    commands.push_back(sheet.close);
    ImGui::CloseCurrentPopup();
  }
  if (taken >= 0) commands.push_back(entries[static_cast<std::size_t>(taken)].command);
  ImGui::EndPopup();
}

void command_palette(const view::ScreenInput& input, ScreenMemory& memory,
                     view::CommandQueue& commands) {
  entry_sheet(
      {"Commands", "##palette", "Type a command", {}, view::ShowPalette{false}},
      input.sheets.palette, memory.palette,
      [&](const std::string& typed) {
        return view::matching(view::palette_entries(facts_of(input, memory)), typed);
      },
      commands);
}

}  // namespace ringside::ui
