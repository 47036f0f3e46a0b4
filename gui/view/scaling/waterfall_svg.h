// The waterfall as a stand-alone image in the light colours, for the HTML report and for files; its
// sentences stand in its table. Pure.
#pragma once

#include <string>

#include "gui/view/scaling/waterfall_view.h"

namespace ringside::view {

/// UTF-8, SVG 1.1; empty where there is no waterfall.
std::string waterfall_svg(const WaterfallView& view, int width);

}  // namespace ringside::view
