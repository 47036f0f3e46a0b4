// Where a chart has more than a few lines made of pixel columns, the processor draws them into a
// texture instead of giving the display a rectangle for every column. The texture is cut into
// strips, which are handed out anew in every frame in the order of drawing; a strip is drawn and
// uploaded again only when what lies in it is not what it holds, so that there is nothing else to
// keep in step. Main thread, inside a frame; the texture lives as long as Dear ImGui's context.
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

/// Draws bars as one image, later ones over earlier ones, clipped to `area` (whole pixels). False
/// if there is no room for the image: nothing was drawn, and the next frame may have room.
bool draw_bars_as_picture(const std::vector<Bar>& bars, const Rect& area);

}  // namespace ringside::ui
