// Draws a menu of view::MenuEntry as a popup. Main thread, inside a frame.
#pragma once

#include <imgui.h>

#include "gui/ui/rect.h"
#include "gui/view/menu.h"

namespace ringside::ui {

/// Draws a popup that was opened with ImGui::OpenPopup(id). Returns the picked entry, which lives
/// in `menu`, or null.
const view::MenuEntry* draw_menu(const char* id, const view::Menu& menu);

/// Draws three dots that open a menu; true when they were pressed.
bool menu_button(const char* id, const Rect& where);

/// Draws a menu of commands only: opens it if `opened` is set, and builds it while it is open.
template <class Build>
void command_menu(const char* id, bool opened, view::CommandQueue& commands, Build&& build) {
  if (opened) ImGui::OpenPopup(id);
  if (!ImGui::IsPopupOpen(id)) return;
  const view::Menu menu = build();
  const view::MenuEntry* const picked = draw_menu(id, menu);
  if (picked != nullptr && picked->command) commands.push_back(*picked->command);
}

}  // namespace ringside::ui
