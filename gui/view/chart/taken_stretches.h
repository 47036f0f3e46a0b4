// Remembers which parts of a line have text already, so that labels do not overlap. Pure.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace ringside::view {

class TakenStretches {
 public:
  /// Takes the stretch; false, without a change, if it overlaps another one.
  bool take(double begin, double end) {
    const bool covered = std::any_of(taken_.begin(), taken_.end(), [&](const auto& other) {
      return begin < other.second && other.first < end;
    });
    if (!covered) taken_.emplace_back(begin, end);
    return !covered;
  }

 private:
  std::vector<std::pair<double, double>> taken_;
};

}  // namespace ringside::view
