// A page of the manual in an area that scrolls. Main thread, inside a frame.
#pragma once

#include "gui/manual/page.h"
#include "gui/ui/rect.h"
#include "gui/ui/window/manual_memory.h"
#include "gui/view/command.h"

namespace ringside::ui {

/// `arrows`: the arrow keys scroll the page. Link targets go to `memory`, the text of a copied
/// example to `commands`.
void draw_manual_page(const manual::Page& page, const Rect& area, bool arrows, ManualMemory& memory,
                      view::CommandQueue& commands);

}  // namespace ringside::ui
