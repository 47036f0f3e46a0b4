// A large opaque rectangle as one command to the display instead of triangles: where the processor
// draws, clearing a pixel costs a tenth of shading it. Main thread, inside a frame.
#pragma once

#include <imgui.h>

#include "gui/ui/rect.h"

namespace ringside::ui {

/// What such a command clears.
struct Ground {
  Rect area;  ///< in whole pixels
  ImU32 color = 0;
};

/// How the display clears; null, as at first: it does not, and triangles are drawn.
void set_ground_call(ImDrawCallback call);

/// False where triangles are to be drawn: what is small, seen through, or not in whole pixels.
bool draw_ground(const Rect& area, ImU32 color);

/// What a draw command of a finished frame clears; null: it clears nothing.
Ground* ground_of(const ImDrawCmd& command);

}  // namespace ringside::ui
