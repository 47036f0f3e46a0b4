// Tooltips at the mouse: hints of controls, the full text of every cut text, and the meaning of a
// term on the screen. One at a time. Main thread, inside a frame.
#pragma once

#include <string_view>

#include "gui/ui/rect.h"
#include "gui/view/manual/terms.h"

namespace ringside::ui {

/// Shows a tooltip for the last control while the mouse rests on it or it got the keyboard focus;
/// below the text the meaning of `word`, if given.
void tooltip(std::string_view text, std::string_view word = {});

/// Records a text that was cut with "…", or a label with more to say, and its full text. The last
/// call whose area contains the mouse wins.
void note_cut(const Rect& area, std::string_view whole);
/// Records the area of a column head or label: its tooltip explains the term, followed by `more`,
/// which is about the current content. F1 opens the term's section of the manual.
void explain_column(const Rect& area, std::string_view table, std::string_view column,
                    std::string_view more = {});
void explain_word(const Rect& area, std::string_view word, std::string_view more = {});
/// The term whose tooltip is shown in this or the previous frame; null: none.
const view::Term* explained();

/// Shows the recorded text under the mouse, unless a control shows its own tooltip. Called last in
/// a frame.
void show_cut_text();

}  // namespace ringside::ui
