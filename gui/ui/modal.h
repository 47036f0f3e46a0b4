// Modal windows, which cover everything and wait for an answer. Main thread, inside a frame.
#pragma once

#include <imgui.h>

#include "gui/ui/rect.h"
#include "gui/view/command.h"

namespace ringside::ui {

/// Opens or closes a modal to match `wanted`; returns true while it is to be drawn, and the caller
/// then ends it with end_modal, or with ImGui::EndPopup.
bool begin_modal(const char* id, bool wanted, ImVec2 size);
/// Ends a modal; closes it with this command if the person has answered it or left it.
void end_modal(bool done, view::CommandQueue& commands, view::Command closes);

Rect window_inside(float padding);

}  // namespace ringside::ui
