// The common vocabulary of all views: tones and paints instead of colours, shapes instead of icons,
// sentences made of pieces. Plain data; the window maps it to its theme.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"

namespace ringside::view {

/// The tone of a text or line; colors.h has the colours.
enum class Tone : std::uint8_t {
  kText,
  kHigh,
  kDim,
  kFaint,
  kAccent,
  kOk,
  kWarning,
  kError,
  kInfo
};

/// The paint of a part of a step or of the waterfall.
enum class Paint : std::uint8_t {
  kDataWait,
  kForward,
  kBackward,
  kWaitSlowest,
  kAllReduce,
  kOptimizer,
  kOther,
  kEvaluation,
};

/// Drawn shapes; a status is shown as shape, word and tone.
enum class Shape : std::uint8_t {
  kNone,
  kRing,
  kTriangleRight,
  kWarningTriangle,
  kHexagon,
  kTick,
  kSquare,
  kCross,
  kHollowDiamond,
  kStruckRing,
  kDot,
};

enum class Style : std::uint8_t { kWords, kStrong, kNumber, kStrongNumber, kDim };
struct Piece {
  std::string text;
  Style style = Style::kWords;
  bool operator==(const Piece&) const = default;
};
using Sentence = std::vector<Piece>;
std::string plain(const Sentence& sentence);

/// Names of XAxis, in its order.
inline constexpr std::array<const char*, 4> kAxisNames{"Step", "Epoch", "Time", "Samples"};

/// A rank's colour is number `rank mod 8` of the palette; its digit tells ranks with the same
/// colour apart.
inline constexpr int kRankColors = 8;
inline int rank_color_index(Rank rank) { return static_cast<int>(rank % kRankColors); }
/// "Rank 2"
std::string rank_name(Rank rank);
/// "r2"
std::string rank_label(Rank rank);

/// A label with its value, as in plans and read-outs.
struct Fact {
  std::string label;
  Sentence value;
  Tone tone = Tone::kText;
};

}  // namespace ringside::view
