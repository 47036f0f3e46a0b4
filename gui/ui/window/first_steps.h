// The three ways to begin, shown by a window without a run. Main thread, inside a frame.
#pragma once

#include "gui/ui/rect.h"
#include "gui/view/command.h"

namespace ringside::ui {

/// Height of the ways to begin.
float first_steps_height();
/// Draws one sentence about the program, with the ways to begin below it.
void draw_first_steps(const Rect& area, view::CommandQueue& commands);

}  // namespace ringside::ui
