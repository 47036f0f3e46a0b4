// Quantiles of Student's t, for means of few values. Pure.
#pragma once

#include <array>
#include <cstddef>

namespace ringside::analysis {

/// Two-sided 95 % quantile; 0 without a degree of freedom.
inline double t_quantile(std::size_t freedom) {
  constexpr std::array<double, 12> kTable{12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
                                          2.365,  2.306, 2.262, 2.228, 2.201, 2.179};
  if (freedom < 1) return 0;
  return freedom <= kTable.size() ? kTable[freedom - 1] : 1.96 + 2.6 / static_cast<double>(freedom);
}

/// One-sided 90 % quantile, too large by 1 % at most; 0 without a degree of freedom.
inline double t_quantile_90(std::size_t freedom) {
  constexpr std::array<double, 4> kTable{3.078, 1.886, 1.638, 1.533};
  if (freedom < 1) return 0;
  return freedom <= kTable.size() ? kTable[freedom - 1]
                                  : 1.282 + 1.0 / static_cast<double>(freedom);
}

}  // namespace ringside::analysis
