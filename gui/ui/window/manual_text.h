// Text of the manual in lines: how wide it is, and setting it, with links that are pressed. Main
// thread, inside a frame.
#pragma once

#include "gui/manual/page.h"
#include "gui/ui/fonts.h"
#include "gui/ui/rect.h"
#include "gui/ui/theme.h"

namespace ringside::ui {

/// How a text is set.
struct TextLook {
  Type words = Type::kBody;
  Type strong = Type::kPanel;
  Type code = Type::kNumber;
  Token color = Token::kText;
  Token strong_color = Token::kHigh;
  float line = 20;  ///< height at scale 1
};

struct TextExtent {
  float whole = 0;  ///< on one line
  float word = 0;   ///< the widest piece that no line end may split
};
TextExtent extent_of(const manual::Text& text, const TextLook& look);

/// Draws text from the top of `column` downwards; returns the y below the last line. A link that
/// was pressed goes to `pressed`. One text of a window at a time: `id` keeps the links of two
/// apart.
float set_text(int id, const manual::Text& text, const Rect& column, const TextLook& look,
               const manual::Link** pressed);

}  // namespace ringside::ui
