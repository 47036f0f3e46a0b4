// Colours and sizes of what is drawn, after the person's theme and scale. These are set between
// frames by the main thread, which is the only one that draws.
#pragma once

#include <imgui.h>

#include "gui/view/colors.h"

namespace ringside::ui {

using view::Token;

/// Dark is the default; scale is the person's own, 0.75 to 3, times that of the screen.
struct Theme {
  bool light = false;
  float scale = 1.0F;
};

void set_theme(const Theme& theme);
const Theme& theme();

/// A length of the drawings in pixels of this screen, rounded to whole ones.
float px(float length);

ImU32 color_of(Token token);
/// Colour of a token with `opacity` 0 .. 1.
ImU32 color_of(Token token, float opacity);
/// What something is drawn in: a token of the theme, or any other colour.
class Ink {
 public:
  Ink(Token token) : color_(color_of(token)) {}
  Ink(ImU32 color) : color_(color) {}
  operator ImU32() const { return color_; }

 private:
  ImU32 color_;
};
/// `share` of `token` drawn over the panel colour, opaque.
ImU32 mixed_over_panel(ImU32 color, float share);

/// Lines and words of a rank, in the theme's column; rank 8 reuses the colour of rank 0.
ImU32 rank_color(Rank rank);
/// Chips are the same in both themes.
ImU32 rank_chip_color(Rank rank);
ImU32 run_color(int run);
using view::run_is_dashed;

/// Viridis, for amounts; `share` 0 .. 1.
ImU32 amount_color(double share);

/// Colours, roundings and paddings of Dear ImGui's and ImPlot's own widgets, from the same table.
void apply_style();

}  // namespace ringside::ui
