// The bars from the ideal speedup down to the measured one, for the sheet over Live and the Scaling
// page. Main thread, inside a frame.
#pragma once

#include "gui/ui/rect.h"
#include "gui/view/scaling/waterfall_view.h"

namespace ringside::ui {

/// The heights from which on the names can be read, and all sentences are shown.
struct WaterfallHeight {
  float least = 0;
  float most = 0;
};
WaterfallHeight waterfall_height(const view::WaterfallView& view);

/// Whether the run and its baseline may be compared.
void draw_fairness(const view::Verdict& verdict, const Rect& row);

/// Rows as high as the area lets them be, axis and note; a bar that was pressed shows its evidence
/// in Live. True when one was.
bool draw_waterfall(const view::WaterfallView& view, const Rect& area,
                    view::CommandQueue& commands);

}  // namespace ringside::ui
