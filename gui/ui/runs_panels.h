// The panels of the Runs place: the strip with filter and actions, the list. Main thread, inside a
// frame.
#pragma once

#include <string>

#include "gui/ui/layout.h"
#include "gui/view/command.h"
#include "gui/view/runs_view.h"

namespace ringside::ui {

void draw_runs_strip(const view::RunsView& runs, const view::RunsChoice& choice, const Rect& area,
                     view::CommandQueue& commands);
void draw_runs_table(const view::RunsView& runs, const view::RunsChoice& choice, const Rect& area,
                     view::CommandQueue& commands);

/// Where a replay starts, in multiples of the speed of the run.
inline constexpr double kReplaySpeed = 4;

}  // namespace ringside::ui
