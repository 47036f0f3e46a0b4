// Windows that stand over everything and wait for an answer. Main thread, inside a frame.
#pragma once

#include <imgui.h>

#include "gui/ui/rect.h"

namespace ringside::ui {

/// Opens or closes a modal so that it follows what the session says; true while it is to be drawn,
/// and then to be ended with ImGui::EndPopup.
bool begin_modal(const char* id, bool wanted, ImVec2 size);

/// The inside of the current window.
Rect window_inside(float padding);

}  // namespace ringside::ui
