#include "gui/analysis/scaling/pairs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gui/analysis/scaling/scaling.h"
#include "gui/analysis/scaling/student.h"

namespace ringside::analysis {
namespace {

/// Statistics of the logarithms of the ratios of the times.
Spread spread_of_ratios(std::span<const double> first, std::span<const double> second) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < first.size(); ++i) ratios.push_back(std::log(second[i] / first[i]));
  return spread_of(ratios);
}

double error_of_mean(const Spread& spread) {
  return spread.deviation / std::sqrt(static_cast<double>(spread.count));
}

}  // namespace

std::int64_t last_check(std::int64_t pairs) {
  const auto* const after = std::ranges::upper_bound(kChecks, pairs);
  return after == kChecks.begin() ? 0 : *(after - 1);
}

std::int64_t next_check(std::int64_t pairs) {
  const auto* const after = std::ranges::upper_bound(kChecks, pairs);
  return after == kChecks.end() ? 0 : *after;
}

Interval paired_difference(std::span<const double> first, std::span<const double> second,
                           bool often) {
  // Quantiles of Student's t for 1 - 0.05 / 6, two-sided, with one degree of freedom less than the
  // pairs.
  constexpr std::array<double, kChecks.size()> kOfLooks{6.232, 4.219, 3.636, 3.208, 3.036, 2.886};
  const Spread spread = spread_of_ratios(first, second);
  const auto place = static_cast<std::size_t>(
      std::ranges::find(kChecks, static_cast<std::int64_t>(first.size())) - kChecks.begin());
  const double quantile = often ? kOfLooks.at(place) : t_quantile(first.size() - 1);
  const double half = quantile * error_of_mean(spread);
  return {std::expm1(spread.mean), std::expm1(spread.mean - half), std::expm1(spread.mean + half)};
}

bool saves_less(std::span<const double> first, std::span<const double> second, double share) {
  const Spread spread = spread_of_ratios(first, second);
  const double low = spread.mean - t_quantile_90(first.size() - 1) * error_of_mean(spread);
  return low > std::log1p(-share);
}

PairVerdict verdict_of(const Interval& longer) {
  // A difference below this limit does not matter, even if it is certain.
  if (longer.low > -kLeastLonger && longer.high < kLeastLonger) return PairVerdict::kAlike;
  if (longer.low > 0) return PairVerdict::kLonger;
  return longer.high < 0 ? PairVerdict::kShorter : PairVerdict::kOpen;
}

std::string_view name_of(PairVerdict verdict) {
  static constexpr std::string_view kNames[] = {"longer", "shorter", "alike", "open"};
  return kNames[static_cast<std::size_t>(verdict)];
}

}  // namespace ringside::analysis
