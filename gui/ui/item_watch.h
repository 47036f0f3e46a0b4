// Where every enabled control of the last frame is, by its label, so that tests press what a person
// would press. Off until asked for. Defines the hooks that the library calls for each item. Main
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/ui/rect.h"

namespace ringside::ui {

struct Item {
  std::string label;
  std::string window;  ///< of Dear ImGui
  Rect area;           ///< the visible part
};

/// A piece of text as it was drawn.
struct DrawnText {
  std::string text;
  std::string window;  ///< of Dear ImGui
  Rect area;           ///< height of its capitals
  Rect visible;        ///< what is left of it after clipping
  bool cut = false;    ///< it reaches over the edge of a window that does not scroll there
};

/// Remembers the controls and texts of a frame, from the next one on. Call with a current context.
void watch_items();
/// Forgets those of the last frame; call before a frame is built.
void clear_items();
const std::vector<Item>& items();
const std::vector<DrawnText>& drawn_texts();
/// What is drawn while it lives is scrolled into view by other means than its window: no edge of
/// that cuts it.
class ScrolledTexts {
 public:
  ScrolledTexts();
  ~ScrolledTexts();
  ScrolledTexts(const ScrolledTexts&) = delete;
  ScrolledTexts& operator=(const ScrolledTexts&) = delete;
};

/// Words of the screen in this frame that nothing explains: "ranks.step", "Forward".
const std::vector<std::string>& unexplained();
void note_unexplained(std::string_view word);
/// Whether controls and texts are remembered.
bool watches_items();

/// Called by the one function that draws text.
void note_text(std::string_view text, const Rect& area);

}  // namespace ringside::ui
