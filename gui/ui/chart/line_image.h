// Draws charts with more than a few lines of pixel columns into a texture on the CPU, instead of
// giving the display a rectangle for every column. The texture is divided into strips, which are
// assigned in drawing order in every frame; a strip is drawn and uploaded again only if its content
// has changed, so that no other state has to be kept in step. Main thread, inside a frame; the
// texture lives as long as Dear ImGui's context.
#pragma once

#include <imgui.h>

#include <vector>

#include "gui/ui/rect.h"

namespace ringside::ui {

/// A filled rectangle in whole pixels of the screen.
struct Bar {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
  ImU32 color = 0;
};

/// Draws bars as one image, later ones over earlier ones, clipped to `area` (whole pixels). Returns
/// false, and draws nothing, if there is no room; the next frame may have room.
bool draw_bars_as_picture(const std::vector<Bar>& bars, const Rect& area);

}  // namespace ringside::ui
