// Records every enabled control of the last frame by its label, so that tests can press what a
// person would press. Off until requested. Defines the hooks that Dear ImGui calls for each item.
// Main thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gui/ui/rect.h"

namespace ringside::ui {

struct Item {
  std::string label;
  std::string window;  ///< Dear ImGui's name of it
  Rect area;           ///< the visible part
};

struct DrawnText {
  std::string text;
  std::string window;  ///< Dear ImGui's name of it
  Rect area;           ///< with the height of its capitals
  Rect visible;        ///< the part that remains after clipping
  bool cut = false;    ///< by the edge of a window that does not scroll that way
};

/// Starts to record controls and texts with the next frame. Needs a current context.
void watch_items();
/// Removes those of the last frame; call before a frame is built.
void clear_items();
const std::vector<Item>& items();
const std::vector<DrawnText>& drawn_texts();
/// Marks texts, while it lives, as scrolled by other means than their window, so that its edge does
/// not count as cutting them.
class ScrolledTexts {
 public:
  ScrolledTexts();
  ~ScrolledTexts();
  ScrolledTexts(const ScrolledTexts&) = delete;
  ScrolledTexts& operator=(const ScrolledTexts&) = delete;
};

/// Words on the screen in this frame without an explanation: "ranks.step", "Forward".
const std::vector<std::string>& unexplained();
void note_unexplained(std::string_view word);
bool watches_items();

/// Called by the one function that draws text.
void note_text(std::string_view text, const Rect& area);

}  // namespace ringside::ui
