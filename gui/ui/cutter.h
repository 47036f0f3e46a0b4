// Divides the main area of a page into its panels: the tools that each page uses for its layout.
// Pure: no ImGui call; lives as long as one page is laid out.
#pragma once

#include <algorithm>
#include <cmath>

#include "gui/ui/layout.h"

namespace ringside::ui {

inline constexpr float kGap = 8;
inline constexpr float kHeader = 29;  // height of a panel's header, with its line
inline constexpr float kScrollBar = 13;

/// Converts lengths of the design into pixels.
struct Scale {
  float scale;
  float operator()(float length) const { return std::floor(length * scale + 0.5F); }
};

/// Interpolates linearly between `at_small` in a main area 1216 wide and `at_large` in one 1520
/// wide, and a little beyond.
inline float between(float main_width, float at_small, float at_large, float scale) {
  const float share = (main_width / scale - 1216.0F) / (1520.0F - 1216.0F);
  const float length = at_small + (at_large - at_small) * std::clamp(share, -0.3F, 2.0F);
  return std::floor(length * scale);
}

enum class Edge { kTop, kBottom, kLeft, kRight };

/// The minimum length of a piece, and of the rest.
struct Least {
  float piece;
  float rest;
};

/// Cuts pieces off at the splitter's position, else at the default, and records where each splitter
/// is.
class Cutter {
 public:
  Cutter(Scale s, const Arrangement& arrangement, PageLayout& page)
      : s_(s), arrangement_(arrangement), page_(page) {}

  Rect cut(Rect& rest, Edge edge, Split which, float drawn, Least least) {
    const bool horizontal = edge == Edge::kLeft || edge == Edge::kRight;
    const bool from_end = edge == Edge::kRight || edge == Edge::kBottom;
    const float total = horizontal ? rest.w : rest.h;
    const float share = arrangement_.share(which);
    const float wanted = share > 0 ? std::floor(share * total) : drawn;
    const float most = std::max(s_(least.piece), total - s_(least.rest) - s_(kGap));
    const float length = std::min(std::clamp(wanted, s_(least.piece), most), total);
    SplitHandle handle{which, rest, horizontal, from_end, horizontal ? rest.x : rest.y, total};
    const Rect piece = take(rest, edge, length);
    (horizontal ? handle.area.x : handle.area.y) =
        from_end ? (horizontal ? piece.x : piece.y) - s_(kGap)
                 : (horizontal ? piece.right() : piece.bottom());
    (horizontal ? handle.area.w : handle.area.h) = s_(kGap);
    if (!rest.empty()) page_.handles.push_back(handle);
    return piece;
  }

 private:
  Rect take(Rect& rest, Edge edge, float length) const {
    switch (edge) {
      case Edge::kTop:
        return rest.take_top(length, s_(kGap));
      case Edge::kBottom:
        return rest.take_bottom(length, s_(kGap));
      case Edge::kLeft:
        return rest.take_left(length, s_(kGap));
      case Edge::kRight:
        break;
    }
    return rest.take_right(length, s_(kGap));
  }

  Scale s_;
  const Arrangement& arrangement_;
  PageLayout& page_;
};

/// The main area, or larger if the panels need more; it scrolls then.
inline Rect room(const FrameLayout& frame, float least_width, float least_height) {
  Rect content = frame.main;
  content.w = std::max(content.w, least_width);
  content.h = std::max(content.h, least_height);
  return content;
}

/// Lays a page out; if it needs a scroll bar, again in the width that the bar leaves.
template <class Layout, class Make>
Layout laid_out(const FrameLayout& frame, float scale, const Make& make) {
  Layout layout;
  layout.viewport = frame.main;
  make(frame, layout);
  if (layout.content.h <= layout.viewport.h + 1) return layout;
  FrameLayout within = frame;
  within.main.w -= Scale{scale}(kScrollBar);
  Layout beside;
  beside.viewport = within.main;
  make(within, beside);
  beside.viewport.w = frame.main.w;
  return beside;
}

}  // namespace ringside::ui
