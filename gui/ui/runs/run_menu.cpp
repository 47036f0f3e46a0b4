// Draws the menu of a row in the list of runs, and the small popups that it opens.
#include <imgui.h>

#include <algorithm>
#include <string>

#include "gui/ui/menu.h"
#include "gui/ui/runs/runs_panels.h"
#include "gui/ui/widgets.h"
#include "gui/view/runs/run_menu.h"

namespace ringside::ui {
namespace {

constexpr const char* kRunMenu = "run menu";
constexpr const char* kNamePopup = "run name popup";
constexpr const char* kTagsPopup = "run tags popup";

const view::RunSummary* run_of(const view::RunsInput& input, const std::string& id) {
  const auto found = std::ranges::find(input.runs, id, &view::RunSummary::id);
  return found == input.runs.end() ? nullptr : &*found;
}

/// Opens a popup in the next frame.
void ask(const char* popup, RunMenuMemory& memory, std::string typed) {
  memory.opens = popup;
  memory.typed = std::move(typed);
  memory.focus = true;
}

/// Draws title, field and buttons of a popup. Returns the pressed button; 0: the first, or Enter;
/// -1: none.
int small_question(const std::string& title, const char* field, const char* hint,
                   std::initializer_list<const char*> buttons, RunMenuMemory& memory) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = px(280);
  text_at(at.x, at.y + px(8), Type::kSmallBold, Token::kHigh, title);
  const Rect line{at.x, at.y + px(22), width, px(24)};
  ImGui::SetCursorScreenPos(ImVec2(line.x, line.y));
  if (memory.focus) ImGui::SetKeyboardFocusHere();
  memory.focus = false;
  text_field(field, line, memory.typed, Type::kSmall, {}, hint);
  int pressed = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Enter, false) ? 0 : -1;
  float x = at.x;
  int i = 0;
  for (const char* word : buttons) {
    const float wide = button_width(word);
    if (button(word, {x, line.bottom() + px(8), wide, px(24)})) pressed = i;
    x += wide + px(8);
    ++i;
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, line.bottom() + px(34)));
  ImGui::Dummy(ImVec2(width, 1));
  if (pressed >= 0) ImGui::CloseCurrentPopup();
  return pressed;
}

void name_popup(const view::RunSummary& run, RunMenuMemory& memory, view::CommandQueue& commands) {
  if (!ImGui::BeginPopup(kNamePopup)) return;
  if (small_question("Name of run " + view::run_label(run.number, run.id), "##new name",
                     "That of its settings", {"Rename"}, memory) == 0) {
    view::EditLabels edit{run.id};
    edit.name = memory.typed;
    commands.emplace_back(std::move(edit));
  }
  ImGui::EndPopup();
}

void tags_popup(const view::RunsInput& input, RunMenuMemory& memory, view::CommandQueue& commands) {
  if (!ImGui::BeginPopup(kTagsPopup)) return;
  const auto ids = view::tagged_ids(memory.id, input.choice);
  const int pressed = small_question(view::tags_title(input.runs, ids), "##new tags",
                                     "Tags, separated by commas", {"Add", "Take off"}, memory);
  if (pressed >= 0) commands.emplace_back(view::TagRuns{ids, memory.typed, pressed == 0});
  ImGui::EndPopup();
}

}  // namespace

void run_menu_keys(const view::RunsInput& input, RunMenuMemory& memory) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return;
  const view::RunSummary* const run = run_of(input, input.choice.selected);
  if (run == nullptr) return;
  const bool bare = io.KeyMods == ImGuiMod_None;
  const bool shift = io.KeyMods == ImGuiMod_Shift;
  const bool menu = (bare && ImGui::IsKeyPressed(ImGuiKey_Menu, false)) ||
                    (shift && ImGui::IsKeyPressed(ImGuiKey_F10, false));
  if (menu) ask(kRunMenu, memory, {});
  if (input.elsewhere.empty()) {
    if (bare && ImGui::IsKeyPressed(ImGuiKey_F2, false)) ask(kNamePopup, memory, run->name);
    if (shift && ImGui::IsKeyPressed(ImGuiKey_T, false)) ask(kTagsPopup, memory, {});
  }
  if (memory.opens != nullptr) memory.id = run->id;
}

void ask_about_run(const std::string& id, RunMenuMemory& memory) {
  memory.id = id;
  ask(kRunMenu, memory, {});
}

void run_menu_popups(const view::RunsInput& input, RunMenuMemory& memory,
                     view::CommandQueue& commands) {
  if (memory.opens != nullptr) ImGui::OpenPopup(memory.opens);
  memory.opens = nullptr;
  const view::RunSummary* const run = run_of(input, memory.id);
  if (run == nullptr) return;
  const view::Menu menu = view::run_menu(*run, input.choice, !input.elsewhere.empty());
  if (const view::MenuEntry* picked = draw_menu(kRunMenu, menu)) {
    if (picked->command) {
      commands.push_back(*picked->command);
    } else if (picked->word == view::label::kRename) {
      ask(kNamePopup, memory, run->name);
    } else {
      ask(kTagsPopup, memory, {});
    }
  }
  name_popup(*run, memory, commands);
  tags_popup(input, memory, commands);
}

}  // namespace ringside::ui
