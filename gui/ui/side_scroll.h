// Scrolls content that is wider than its area sideways: by Shift and the wheel, or by a bar at the
// bottom. The position is kept as long as the surrounding window exists. Main thread, inside a
// frame.
#pragma once

#include "gui/ui/rect.h"

namespace ringside::ui {

class SideScroll {
 public:
  /// `wide`: width of the content from the left edge of `area`. Content that fits has no bar;
  /// otherwise the bar's height is cut off `area`. `id` is stable.
  SideScroll(const char* id, Rect& area, float wide);

  bool on() const { return on_; }
  /// Distance by which the content is moved to the left.
  float offset() const { return offset_; }

 private:
  bool on_ = false;
  float offset_ = 0;
};

}  // namespace ringside::ui
