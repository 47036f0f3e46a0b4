// Where words stand on a line already, so that no other is put over them. Pure.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace ringside::view {

class TakenStretches {
 public:
  /// Takes the stretch; false, and nothing is taken, where it would lie on another.
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
