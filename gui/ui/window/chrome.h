// The parts around every page: the rail on the left, the top bar, and the status bar. Main thread,
// inside a frame.
#pragma once

#include "gui/ui/layout.h"
#include "gui/view/command.h"
#include "gui/view/manual/manual_places.h"
#include "gui/view/window/machine_view.h"
#include "gui/view/window/status_bar.h"
#include "gui/view/window/top_bar.h"

namespace ringside::ui {

/// `help`: section of the manual about the current page.
void draw_rail(const FrameLayout& frame, view::Page page, const view::ManualPlace& help,
               view::CommandQueue& commands);
void draw_top_bar(const FrameLayout& frame, const view::TopBarView& bar,
                  const view::MachineView& machine, view::CommandQueue& commands);
/// Draws the button that names the machine and opens the sheet of machines; returns its right edge.
float draw_machine(const FrameLayout& frame, const view::MachineView& machine, float x,
                   view::CommandQueue& commands);
void draw_status_bar(const FrameLayout& frame, const view::StatusBarView& bar);

}  // namespace ringside::ui
