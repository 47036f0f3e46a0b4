// The bars from the ideal to the measured speedup, for the sheet over Live and the Scaling page.
// Main thread, inside a frame.
#pragma once

#include "gui/ui/rect.h"
#include "gui/view/scaling/waterfall_view.h"

namespace ringside::ui {

/// Minimum heights for readable names, and for all sentences.
struct WaterfallHeight {
  float least = 0;
  float most = 0;
};
WaterfallHeight waterfall_height(const view::WaterfallView& view);

/// Draws whether the run and its baseline may be compared.
void draw_fairness(const view::Verdict& verdict, const Rect& row);

/// Draws rows as high as the area allows, axis and note; pressing a bar shows its evidence in Live.
/// True if one was pressed.
bool draw_waterfall(const view::WaterfallView& view, const Rect& area,
                    view::CommandQueue& commands);

}  // namespace ringside::ui
