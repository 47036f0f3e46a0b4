// The page behind a sheet, once a frame is finished. A veil over everything and a page below the
// sheet would be painted pixel by pixel where the processor draws; instead colours are darkened
// before they are painted, and what the sheet hides is left out. Main thread.
#pragma once

#include <imgui.h>

namespace ringside::ui {

/// Darkens what is drawn before the sheet that is in front and leaves out what lies below it.
/// Returns the colour of a window that is empty but for the sheet.
ImU32 darken_behind_sheet(ImDrawData& data);

}  // namespace ringside::ui
