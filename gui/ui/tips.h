// What rests under the mouse: hints of controls, and the whole of every text that had no room. One
// of them at a time. Main thread, inside a frame.
#pragma once

#include <string_view>

#include "gui/ui/rect.h"

namespace ringside::ui {

/// Shows a tooltip for the last control when the mouse rests on it.
void tooltip(std::string_view text);

/// Called by whatever cuts a text with "…", where its rest stands, and by a label that has more to
/// say. The last call that covers the mouse wins.
void note_cut(const Rect& area, std::string_view whole);
/// Shows the noted text on which the mouse rests, unless a control says more. The last
/// thing in a frame.
void show_cut_text();

}  // namespace ringside::ui
