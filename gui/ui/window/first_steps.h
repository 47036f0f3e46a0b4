// The three ways to begin that a window without a run shows. Main thread, inside a frame.
#pragma once

#include "gui/ui/rect.h"
#include "gui/view/command.h"

namespace ringside::ui {

/// How high they are.
float first_steps_height();
/// What this program is in one sentence, below it the ways to begin.
void draw_first_steps(const Rect& area, view::CommandQueue& commands);

}  // namespace ringside::ui
