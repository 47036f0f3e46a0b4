// Changes the page behind a sheet in a finished frame. A software renderer would draw a veil over
// everything, and the page below the sheet, pixel by pixel; instead colours are darkened before
// they are drawn, and what the sheet hides is removed. Main thread.
#pragma once

#include <imgui.h>

namespace ringside::ui {

/// Darkens everything drawn before the front sheet and removes what is below it. Returns the
/// background colour of the window around the sheet.
ImU32 darken_behind_sheet(ImDrawData& data);

}  // namespace ringside::ui
