// The bars from the ideal speedup down to the measured one, for the sheet over Live and the Scaling
// page. Main thread, inside a frame.
#pragma once

#include "gui/ui/rect.h"
#include "gui/view/scaling/waterfall_view.h"

namespace ringside::ui {

/// The room that it asks for, at this scale.
float waterfall_height(const view::WaterfallView& view);

/// Rows, axis and note; a bar that was pressed shows its evidence in Live. True when one was.
bool draw_waterfall(const view::WaterfallView& view, const Rect& area,
                    view::CommandQueue& commands);

}  // namespace ringside::ui
