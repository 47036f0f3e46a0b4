// Whether one of two settings takes longer, judged from pairs of consecutive runs, and how many
// pairs are needed. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "gui/analysis/scaling/scaling_fit.h"

namespace ringside::analysis {

/// Numbers of pairs after which the result is checked.
inline constexpr std::array<std::int64_t, 6> kChecks{4, 6, 8, 12, 16, 24};
/// Number of pairs from which on saves_less() may end a study that has a least gain.
inline constexpr std::int64_t kFewestPairs = 2;

/// The last check that this many pairs allow, and the next one; 0: none.
std::int64_t last_check(std::int64_t pairs);
std::int64_t next_check(std::int64_t pairs);

/// Relative difference of the second times from the first (0.05 is 5 % longer): the mean of the
/// logarithms of the ratios, with the 95 % interval by Student's t. Several checks find a
/// difference by chance more often than a single one: with `often` the interval is wide enough for
/// all checks of kLooks together (Bonferroni), and the number of pairs must be one of them. Times
/// must be positive, and both spans equally long with at least two values.
Interval paired_difference(std::span<const double> first, std::span<const double> second,
                           bool often);

/// Whether pairs show that the second setting saves less than `share` of the time (0.03 is 3 %): a
/// setting that saves as much is dismissed with a probability of 10 %, by Student's t. Times as
/// above, at least two of each.
bool saves_less(std::span<const double> first, std::span<const double> second, double share);

enum class PairVerdict : std::uint8_t {
  kLonger,   ///< the second takes longer
  kShorter,  ///< the second takes less time
  kAlike,    ///< the difference, if any, is below kLeastLonger
  kOpen,     ///< undecided
};
/// Smallest difference that matters: 1 %.
inline constexpr double kLeastLonger = 0.01;
PairVerdict verdict_of(const Interval& longer);
/// Name for scripts; never changes.
std::string_view name_of(PairVerdict verdict);

}  // namespace ringside::analysis
