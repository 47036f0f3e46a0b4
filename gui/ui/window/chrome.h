// What surrounds every page: the rail on the left, the bar above, the line below. Main thread,
// inside a frame.
#pragma once

#include "gui/ui/layout.h"
#include "gui/view/command.h"
#include "gui/view/manual/manual_places.h"
#include "gui/view/window/machine_view.h"
#include "gui/view/window/status_bar.h"
#include "gui/view/window/top_bar.h"

namespace ringside::ui {

/// `help`: what the manual has about what is shown.
void draw_rail(const FrameLayout& frame, view::Page page, const view::ManualPlace& help,
               view::CommandQueue& commands);
void draw_top_bar(const FrameLayout& frame, const view::TopBarView& bar,
                  const view::MachineView& machine, view::CommandQueue& commands);
/// The button that names the machine and opens their sheet; its right edge.
float draw_machine(const FrameLayout& frame, const view::MachineView& machine, float x,
                   view::CommandQueue& commands);
void draw_status_bar(const FrameLayout& frame, const view::StatusBarView& bar);

}  // namespace ringside::ui
