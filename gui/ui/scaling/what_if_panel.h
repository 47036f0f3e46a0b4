// Sliders of other circumstances and what a step would take under them, beside the waterfall. Main
// thread, inside a frame.
#pragma once

#include "gui/ui/rect.h"
#include "gui/view/command.h"
#include "gui/view/scaling/what_if_view.h"

namespace ringside::ui {

/// `change`: what the sliders say. `busy`: a run that proves a prediction is being started.
void draw_what_if(const view::WhatIfView& view, bool busy, const Rect& area,
                  analysis::StepChange& change, view::CommandQueue& commands);

}  // namespace ringside::ui
