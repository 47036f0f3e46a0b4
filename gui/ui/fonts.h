// Fonts: text is in Inter, numbers in JetBrains Mono, found by fontconfig; a missing one is
// replaced by the best match of the system or else by the built-in font. Loaded once per ImGui
// context, main thread.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

#include "gui/ui/theme.h"

namespace ringside::ui {

/// The named text styles of the design.
enum class Type {
  kDisplay,   ///< the speedup only
  kFigure,    ///< facts of a card
  kApp,       ///< name of the program
  kTitle,     ///< title of the run
  kPanel,     ///< panel header
  kSubtitle,  ///< beside the header
  kBody,      ///< text
  kSmall,     ///< dense forms, states
  kSmallBold,
  kNumber,      ///< tables, read-outs, logs
  kNumberBold,  ///< main number of a row
  kLabel,       ///< column heads, hints, status bar
  kAxis,        ///< ticks
};

/// Adds the fonts to the current ImGui context. Returns one sentence per font that was replaced.
std::vector<std::string> load_fonts();

ImFont* font_of(Type type);
/// Size for ImGui, which counts ascent + descent, such that one em is the size in the design times
/// the scale.
float font_size(Type type);

float text_width(Type type, std::string_view text);

/// Draws text with the middle of its capitals at `middle_y`, so that Inter and JetBrains Mono share
/// a baseline. Returns the x of its right end.
float text_at(float x, float middle_y, Type type, Ink color, std::string_view text);
/// Draws text that ends at `right`. Returns the x of its left end.
float text_right(float right, float middle_y, Type type, Ink color, std::string_view text);
float text_centered(float middle_x, float middle_y, Type type, Ink color, std::string_view text);
/// Draws text, cut with "…" if it is wider than `width`, with the full text as a tooltip; returns
/// the x of its right end.
float text_fitted(float x, float middle_y, float width, Type type, Ink color,
                  std::string_view text);
/// `text` cut with "…" if it is wider than `width`.
std::string fitted(Type type, std::string_view text, float width);

/// The beginning of `text` that fits, at least one character, to break a word longer than a line.
std::string_view fitting_part(Type type, std::string_view text, float width);

/// Sets the font of Dear ImGui's own widgets within its scope.
class FontScope {
 public:
  explicit FontScope(Type type) { ImGui::PushFont(font_of(type), font_size(type)); }
  ~FontScope() { ImGui::PopFont(); }
  FontScope(const FontScope&) = delete;
  FontScope& operator=(const FontScope&) = delete;
};

}  // namespace ringside::ui
