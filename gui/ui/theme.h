// The one table of colours and sizes. A colour is named by its use, never by its value, and has a
// dark and a light form. The current theme and scale are set between frames by the main thread,
// which is the only one that draws.
#pragma once

#include <imgui.h>

#include <cstdint>

#include "protocol/base/ids.h"

namespace ringside::ui {

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
/// The same with `opacity` 0 .. 1.
ImU32 color_of(Token token, float opacity);
/// `share` of `token` painted over the panel colour, opaque.
ImU32 mixed_over_panel(ImU32 color, float share);

/// Lines and words of a rank, in the theme's column; rank 8 reuses the colour of rank 0.
ImU32 rank_color(Rank rank);
/// Chips are the same in both themes.
ImU32 rank_chip_color(Rank rank);
/// Of one of several compared runs: four colours, then the same again, dashed.
ImU32 run_color(int run);
inline bool run_is_dashed(int run) { return run >= 4; }

/// Viridis, for amounts; `share` 0 .. 1.
ImU32 amount_color(double share);

/// Colours, roundings and paddings of Dear ImGui's and ImPlot's own widgets, from the same table.
void apply_style();

}  // namespace ringside::ui
