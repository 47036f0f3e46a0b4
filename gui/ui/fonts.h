// Words are Inter, numbers are JetBrains Mono, found through fontconfig; where one is missing the
// best match of the system and at last the built-in font stand in. Loaded once per ImGui context,
// main thread.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

#include "gui/ui/theme.h"

namespace ringside::ui {

/// The named text styles of the drawings.
enum class Type {
  kDisplay,   ///< the speedup, nothing else
  kFigure,    ///< facts of a card
  kApp,       ///< name of the program
  kTitle,     ///< title of the run
  kPanel,     ///< panel header
  kSubtitle,  ///< beside it
  kBody,      ///< text
  kSmall,     ///< dense forms, states
  kSmallBold,
  kNumber,      ///< tables, read-outs, logs
  kNumberBold,  ///< the point of the row
  kLabel,       ///< column heads, hints, status bar
  kAxis,        ///< ticks
};

/// Adds the fonts to the current ImGui context. Returns one sentence per font that had to be
/// replaced.
std::vector<std::string> load_fonts();

ImFont* font_of(Type type);
/// Size for ImGui, which counts ascent + descent, so that the em square is that of the drawings
/// times the scale.
float font_size(Type type);

float text_width(Type type, std::string_view text);

/// Draws with the middle of its capitals at `middle_y`, so that Inter and JetBrains Mono share a
/// base line. Returns the x where the text ends.
float text_at(float x, float middle_y, Type type, Ink color, std::string_view text);
/// Draws text that ends at `right`. Returns the x where it begins.
float text_right(float right, float middle_y, Type type, Ink color, std::string_view text);
float text_centered(float middle_x, float middle_y, Type type, Ink color, std::string_view text);
/// Cut with "…" where it is wider than `width`, its whole shown to the mouse; returns the x where
/// it ends.
float text_fitted(float x, float middle_y, float width, Type type, Ink color,
                  std::string_view text);
/// `text` as far as it fits into `width`, with "…" where it was cut.
std::string fitted(Type type, std::string_view text, float width);

/// The beginning of `text` that fits, at least one character: where a word is longer than a line.
std::string_view fitting_part(Type type, std::string_view text, float width);

/// Fonts of Dear ImGui's own widgets within its scope.
class FontScope {
 public:
  explicit FontScope(Type type) { ImGui::PushFont(font_of(type), font_size(type)); }
  ~FontScope() { ImGui::PopFont(); }
  FontScope(const FontScope&) = delete;
  FontScope& operator=(const FontScope&) = delete;
};

}  // namespace ringside::ui
