// Where every enabled control of the last frame is, by its label, so that tests press what a person
// would press. Off until asked for. Defines the hooks that the library calls for each item. Main
// thread.
#pragma once

#include <string>
#include <vector>

#include "gui/ui/rect.h"

namespace ringside::ui {

struct Item {
  std::string label;
  std::string window;  ///< of Dear ImGui
  Rect area;           ///< the visible part
};

/// From the next frame on, the controls of a frame are remembered. Call with a current context.
void watch_items();
/// Forgets those of the last frame; call before a frame is built.
void clear_items();
const std::vector<Item>& items();

}  // namespace ringside::ui
