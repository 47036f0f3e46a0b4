// Breaks text of the manual into lines: measures it, and draws it with links that can be clicked.
// Main thread, inside a frame.
#pragma once

#include "gui/manual/page.h"
#include "gui/ui/fonts.h"
#include "gui/ui/rect.h"
#include "gui/ui/theme.h"

namespace ringside::ui {

struct TextLook {
  Type words = Type::kBody;
  Type strong = Type::kPanel;
  Type code = Type::kNumber;
  Token color = Token::kText;
  Token strong_color = Token::kHigh;
  float line = 20;  ///< height at scale 1
};

struct TextExtent {
  float whole = 0;  ///< width on one line
  float word = 0;   ///< width of the widest piece that cannot be broken
};
TextExtent extent_of(const manual::Text& text, const TextLook& look);

/// Draws text from the top of `column` downwards; returns the y below the last line. `pressed` is
/// set to a clicked link. `id` distinguishes the links of the texts in a window.
float set_text(int id, const manual::Text& text, const Rect& column, const TextLook& look,
               const manual::Link** pressed);

}  // namespace ringside::ui
