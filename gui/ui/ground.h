// Draws a large opaque rectangle as one clear command instead of triangles: with a software
// renderer clearing a pixel costs a tenth of shading it. Main thread, inside a frame.
#pragma once

#include <imgui.h>

#include "gui/ui/rect.h"

namespace ringside::ui {

/// The area and colour of a clear command.
struct Ground {
  Rect area;  ///< in whole pixels
  ImU32 color = 0;
};

/// Sets how the display clears; null, the default: triangles are drawn.
void set_ground_call(ImDrawCallback call);

/// Returns false if triangles are needed: the area is small, transparent or not in whole pixels.
bool draw_ground(const Rect& area, ImU32 color);

/// Returns what a draw command of a finished frame clears; null: the command does not clear.
Ground* ground_of(const ImDrawCmd& command);

}  // namespace ringside::ui
