// The question mark that opens the manual at the section about the control beside it. Main thread,
// inside a frame.
#pragma once

#include "gui/ui/rect.h"
#include "gui/view/command.h"
#include "gui/view/manual/manual_places.h"

namespace ringside::ui {

/// Draws the mark at the right end of `row` and cuts its width off `row`.
void help_mark(Rect& row, view::HelpSubject subject, view::CommandQueue& commands);

}  // namespace ringside::ui
