// Tooltips under the mouse: hints of controls, the whole of every text that had no room, and what
// a word of the screen means. One of them at a time. Main thread, inside a frame.
#pragma once

#include <string_view>

#include "gui/ui/rect.h"
#include "gui/view/manual/terms.h"

namespace ringside::ui {

/// Shows a tooltip for the last control when the mouse rests on it, or the keyboard went there;
/// below the text what `word` means, if it is given.
void tooltip(std::string_view text, std::string_view word = {});

/// Called by whatever cuts a text with "…", where its rest stands, and by a label that has more to
/// say. The last call that covers the mouse wins.
void note_cut(const Rect& area, std::string_view whole);
/// Called by a column head and a label of that word, where they stand: what it means, then `more`,
/// which is about what is shown now. F1 opens its section of the manual.
void explain_column(const Rect& area, std::string_view table, std::string_view column,
                    std::string_view more = {});
void explain_word(const Rect& area, std::string_view word, std::string_view more = {});
/// The term whose tooltip is shown, or was in the frame before; null: none.
const view::Term* explained();

/// Shows the noted text on which the mouse rests, unless a control says more. The last
/// thing in a frame.
void show_cut_text();

}  // namespace ringside::ui
