// Whether one of two settings takes longer, from pairs of runs that stood next to each other, and
// how many pairs it takes to tell. Pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "gui/analysis/scaling/scaling_fit.h"

namespace ringside::analysis {

/// Numbers of pairs after which it is checked whether they already decide.
inline constexpr std::array<std::int64_t, 6> kLooks{4, 6, 8, 12, 16, 24};

/// The last look that so many pairs allow, and the next one; 0: none.
std::int64_t look_at(std::int64_t pairs);
std::int64_t look_after(std::int64_t pairs);

/// By how much the second takes longer than the first, as a share, 0.05 is 5 %: the mean of the
/// logarithms of the ratios, and the interval of 95 % by Student's t. Who looks several times would
/// find a difference by chance more often than a single look does: with `often` the interval is
/// wide enough for all looks of kLooks together (Bonferroni: each has 95 % and 5/6 of the rest),
/// and the pairs are as many as one of them has. Times above 0, as many of both, two at least.
Interval paired_difference(std::span<const double> first, std::span<const double> second,
                           bool often);

enum class PairVerdict : std::uint8_t {
  kLonger,   ///< the second
  kShorter,  ///< likewise
  kAlike,    ///< the difference is below kLeastLonger, if there is any
  kOpen,     ///< these pairs do not tell
};
/// A difference below 1 % is not looked for.
inline constexpr double kLeastLonger = 0.01;
PairVerdict verdict_of(const Interval& longer);
/// Name for scripts; never changes.
std::string_view name_of(PairVerdict verdict);

}  // namespace ringside::analysis
