// The only table of colours: named by their use, each with a dark and a light value. The window,
// the SVG charts and the HTML report read it. Constants.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gui/view/words.h"

namespace ringside::view {

enum class Token : std::uint8_t {
  kApp,
  kPanel,
  kRaised,
  kInput,
  kHover,
  kSelected,
  kLine,
  kLine2,
  kGrid,
  kHigh,
  kText,
  kDim,
  kFaint,
  kAccent,
  kAccentFill,
  kAccentTint,
  kOnAccent,
  kOk,
  kOkTint,
  kWarning,
  kWarningTint,
  kError,
  kErrorTint,
  kInfo,
  kInfoTint,
  kForward,
  kBackward,
  kOptimizer,
  kDataWait,
  kWaitSlowest,
  kAllReduce,
  kOther,
  kEvaluation,
  kSmallBar,
  kChipText,
  kSeriesA,
  kSeriesB,
  kSeriesC,
  kSeriesD,
  kLinkNvlink,
  kLinkSwitch,
  kLinkNode,
  kLinkSystem,
  kCount,
};

/// 0xRRGGBB, for a dark and for a light background.
struct Color {
  std::uint32_t dark = 0;
  std::uint32_t light = 0;
};

Color color(Token token);
Token token_of(Paint paint);
/// The colour of a rank's lines and texts; rank 8 has the colour of rank 0.
Color color_of_rank(Rank rank);
/// The colour of one of several compared runs: four colours, then the same again with dashes.
Color color_of_run(int run);
inline bool run_is_dashed(int run) { return run >= 4; }

/// "#14171B"
std::string css_color(std::uint32_t rgb);
/// A colour of the light theme in CSS, used for drawings in files; a page may replace it by the
/// dark one.
std::string light_css(Token token);

}  // namespace ringside::view
