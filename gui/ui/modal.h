// Modal windows, which cover everything and wait for an answer. Main thread, inside a frame.
#pragma once

#include <imgui.h>

#include "gui/ui/rect.h"

namespace ringside::ui {

/// Opens or closes a modal to match `wanted`; returns true while it is to be drawn, and the caller
/// then ends it with ImGui::EndPopup.
bool begin_modal(const char* id, bool wanted, ImVec2 size);

/// The inside of the current window.
Rect window_inside(float padding);

}  // namespace ringside::ui
