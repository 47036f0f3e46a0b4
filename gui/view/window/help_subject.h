// What of the window a person wants help with, by what is open in it. Pure.
#pragma once

#include "gui/view/manual/manual_places.h"
#include "gui/view/window/screen_input.h"

namespace ringside::view {

/// Subject of the sheet that is open, else of the page.
HelpSubject help_subject(const ScreenInput& input);

}  // namespace ringside::view
