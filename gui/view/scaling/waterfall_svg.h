// The waterfall as a stand-alone image in the light colours, for the HTML report and for files; its
// sentences are in its table. Pure.
#pragma once

#include <string>

#include "gui/view/scaling/waterfall_view.h"

namespace ringside::view {

/// The image is SVG 1.1 in UTF-8; empty if there is no waterfall.
std::string waterfall_svg(const WaterfallView& view, int width);

}  // namespace ringside::view
