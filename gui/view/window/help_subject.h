// The part of the window for which help is shown, by what is open. Pure.
#pragma once

#include "gui/view/manual/manual_places.h"
#include "gui/view/window/screen_input.h"

namespace ringside::view {

/// The subject of the open sheet, or else of the page.
HelpSubject help_subject(const ScreenInput& input);

}  // namespace ringside::view
