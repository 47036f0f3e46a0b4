// Moves what is wider than its area sideways: by the wheel with Shift, or by a bar at its bottom.
// The place is kept while the window around it is. Main thread, inside a frame.
#pragma once

#include "gui/ui/rect.h"

namespace ringside::ui {

class SideScroll {
 public:
  /// `wide`: where the content ends, from the left edge of `area` on. What needs no moving has no
  /// bar; else `area` loses the room for it. `id` is stable.
  SideScroll(const char* id, Rect& area, float wide);

  bool on() const { return on_; }
  /// How far the content is moved to the left.
  float offset() const { return offset_; }

 private:
  bool on_ = false;
  float offset_ = 0;
};

}  // namespace ringside::ui
