// Sliders that change the conditions of a run and the predicted step time, beside the waterfall.
// Main thread, inside a frame.
#pragma once

#include "gui/ui/rect.h"
#include "gui/view/command.h"
#include "gui/view/scaling/what_if_view.h"

namespace ringside::ui {

/// `change`: the state of the sliders. `busy`: a run that tests a prediction is being started.
void draw_what_if(const view::WhatIfView& view, bool busy, const Rect& area,
                  analysis::StepChange& change, view::CommandQueue& commands);

}  // namespace ringside::ui
