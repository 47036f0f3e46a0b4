// Icons as drawn shapes: they scale with everything else and need no font. Main thread, inside a
// frame.
#pragma once

#include <imgui.h>

#include "gui/ui/theme.h"

namespace ringside::ui {

enum class Icon {
  kNone,
  kPlay,  ///< triangle right
  kStop,  ///< square
  kTick,
  kCross,
  kRing,
  kStruckRing,
  kDiamond,  ///< hollow
  kWarning,  ///< triangle with a stroke
  kHexagon,
  kDot,
  kDownload,
  kList,
  kSearch,
  kPulse,
  kGear,
  kHelp,
  kChevronDown,
  kChevronUp,
  kChevronRight,
  kCopy,
  kPlayOutline,
  kSun,
  kFolder,
  kPin,
  kCells,    ///< nine of them
  kRepeat,   ///< an arrow that returns
  kScaling,  ///< points on a rising line
  kMachine,  ///< a screen on its foot
  kSpans,    ///< bars under each other
  kStar,     ///< filled
  kStarOutline,
};

/// Draws the icon within a square of `size` around the centre.
void draw_icon(Icon icon, ImVec2 center, float size, Ink color);

/// The mark of the program: a ring between four corner posts.
void draw_mark(ImVec2 center, float size);

}  // namespace ringside::ui
