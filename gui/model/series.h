// One number per step of one rank, thinned for drawing: a query gives the exact lowest and highest
// finite value of every pixel column and marks NaN and Inf. A pyramid of fan-out 16, and sums of
// blocks, are built on first use and then continued. One thread, no lock; lives inside the model.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gui/model/column.h"
#include "protocol/base/ids.h"

namespace ringside::model {

/// Index of a step's value in a Series; a negative step counts as 0.
inline std::size_t step_index(Step step) {
  return static_cast<std::size_t>(std::max<Step>(0, step));
}

inline constexpr std::uint8_t kHasNan = 1;
inline constexpr std::uint8_t kHasPlusInf = 2;
inline constexpr std::uint8_t kHasMinusInf = 4;

/// Lowest and highest value of a range. Absent values are ignored.
struct Extremes {
  float lowest = std::numeric_limits<float>::infinity();  ///< finite values only
  float highest = -std::numeric_limits<float>::infinity();
  std::uint8_t flags = 0;

  bool has_finite() const { return lowest <= highest; }
  bool empty() const { return !has_finite() && flags == 0; }
  void add(float value);
  void add(const Extremes& other);
  bool operator==(const Extremes&) const = default;
};

/// A range of the step axis, [begin, end); both may lie between two steps.
struct Window {
  double begin = 0;
  double end = 0;
  bool operator==(const Window&) const = default;
};

/// First step of pixel column `column` of `columns` over `window`; the column ends where the next
/// one begins.
std::size_t column_begin(const Window& window, std::size_t column, std::size_t columns);

struct FiniteSum {
  double sum = 0;
  std::size_t count = 0;
  double mean() const {
    return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
  }
  void add(const FiniteSum& other) {
    sum += other.sum;
    count += other.count;
  }
};

class Series {
 public:
  /// Writes the value of a step, or overwrites it. A reported NaN stays visible as NaN.
  void set(std::size_t step, float value) {
    if (step < covered_) cut_thinned(step);
    // A NaN that a rank reported must differ from an absent value.
    values_.set(step, is_absent(value) ? std::numeric_limits<float>::quiet_NaN() : value);
  }
  /// Forgets all values from step `size` on.
  void truncate(std::size_t size);

  std::size_t size() const { return values_.size(); }
  /// The value of a step; absent<float>() if none was reported.
  float at(std::size_t step) const { return values_.at(step); }
  bool has(std::size_t step) const { return !is_absent(values_.at(step)); }

  /// Exact extremes of [begin, end).
  Extremes extremes(std::size_t begin, std::size_t end) const;
  /// One entry per pixel column of `window`; no allocation once the pyramid has been built.
  void columns(const Window& window, std::span<Extremes> out) const;
  /// Sum and number of the finite values in [begin, end).
  FiniteSum sum(std::size_t begin, std::size_t end) const;

  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kFanOut = 16;
  static constexpr std::size_t kLevels = 6;
  static constexpr std::size_t kBlock = 64;  ///< number of steps in one sum
  struct Node {
    float lowest;
    float highest;
  };
  struct Level {
    std::vector<Node> nodes;
    std::vector<std::uint8_t> flags;  ///< stored separately, so that nodes stay at 8 bytes
  };

  void extend_pyramid() const;
  Extremes built_extremes(std::size_t begin, std::size_t end) const;
  void extend_sums() const;
  void cut_thinned(std::size_t size);
  void scan(std::size_t begin, std::size_t end, Extremes& into) const;
  FiniteSum scan_sum(std::size_t begin, std::size_t end) const;
  static void scan_level(const Level& level, std::size_t begin, std::size_t end, Extremes& into);

  Column<float> values_;
  mutable std::array<Level, kLevels>
      levels_;  ///< level k: one node per 16^(k+1) steps, only complete nodes
  mutable std::vector<FiniteSum> sums_;  ///< of complete blocks; built when long sums are requested
  mutable std::size_t covered_ = 0;  ///< number of steps in the pyramid or the sums; most steps are
                                     ///< written once, beyond it, and do not affect them
};

}  // namespace ringside::model
