// Colours and sizes for drawing, by the person's theme and scale. These are set between frames by
// the main thread, which is the only one that draws.
#pragma once

#include <imgui.h>

#include "gui/view/colors.h"

namespace ringside::ui {

using view::Token;

/// Dark is the default; scale is the person's own, 0.75 to 3, multiplied by the screen's.
struct Theme {
  bool light = false;
  float scale = 1.0F;
};

void set_theme(const Theme& theme);
const Theme& theme();

/// Converts a length of the design to pixels of this screen, rounded to whole ones.
float px(float length);

ImU32 color_of(Token token);
/// Colour of a token with `opacity` 0 .. 1.
ImU32 color_of(Token token, float opacity);
/// A colour to draw with: a token of the theme, or any other colour.
class Ink {
 public:
  Ink(Token token) : color_(color_of(token)) {}
  Ink(ImU32 color) : color_(color) {}
  operator ImU32() const { return color_; }

 private:
  ImU32 color_;
};
/// `color` with opacity `share` over the panel colour, as an opaque colour.
ImU32 mixed_over_panel(ImU32 color, float share);

/// Colour for lines and text of a rank, by theme; rank 8 has the colour of rank 0.
ImU32 rank_color(Rank rank);
/// Colour of a rank's chip, which is the same in both themes.
ImU32 rank_chip_color(Rank rank);
ImU32 run_color(int run);
using view::run_is_dashed;

/// Viridis colour of an amount; `share` 0 .. 1.
ImU32 amount_color(double share);

/// Sets colours, roundings and paddings of Dear ImGui's and ImPlot's own widgets from the same
/// table.
void apply_style();

}  // namespace ringside::ui
