#include "gui/model/series.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ringside::model {
namespace {

std::uint8_t flag_of(float value) {
  if (std::isnan(value)) return is_absent(value) ? std::uint8_t{0} : kHasNan;
  if (!std::isinf(value)) return 0;
  return value > 0 ? kHasPlusInf : kHasMinusInf;
}

bool is_finite(float value) {
  return (std::bit_cast<std::int32_t>(value) & 0x7f800000) != 0x7f800000;
}

// Maps floats to integers of the same order, and back: the compiler vectorises integer minima but
// not those of floats, whose result could depend on the order.
std::int32_t ordered(std::int32_t bits) { return bits ^ ((bits >> 31) & 0x7fffffff); }

void scan_values(std::span<const float> values, Extremes& into) {
  constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t kLast = std::numeric_limits<std::int32_t>::max();
  std::int32_t lowest = kLast;
  std::int32_t highest = kNone;
  std::int32_t odd = 0;
  for (const float value : values) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    const std::int32_t place = ordered(bits);
    const bool finite = is_finite(value);
    const std::int32_t low = finite ? place : kLast;
    const std::int32_t high = finite ? place : kNone;
    lowest = low < lowest ? low : lowest;
    highest = high > highest ? high : highest;
    odd |= finite ? 0 : 1;
  }
  if (lowest <= highest) {
    into.lowest = std::min(into.lowest, std::bit_cast<float>(ordered(lowest)));
    into.highest = std::max(into.highest, std::bit_cast<float>(ordered(highest)));
  }
  if (odd == 0) return;
  for (const float value : values)
    into.flags = static_cast<std::uint8_t>(into.flags | flag_of(value));
}

FiniteSum sum_values(std::span<const float> values) {
  std::uint32_t odd = 0;
  for (const float value : values) odd += is_finite(value) ? 0U : 1U;
  // Four sums in parallel, since a single one waits for each of its additions. Blocks without NaN
  // or Inf need no check per value.
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; odd == 0 && i + 4 <= values.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += static_cast<double>(values[i + k]);
  }
  for (; i < values.size(); ++i)
    sums[0] += is_finite(values[i]) ? static_cast<double>(values[i]) : 0.0;
  return {sums[0] + sums[1] + sums[2] + sums[3], values.size() - odd};
}

}  // namespace

void Extremes::add(float value) {
  if (std::isfinite(value)) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  } else {
    flags = static_cast<std::uint8_t>(flags | flag_of(value));
  }
}

void Extremes::add(const Extremes& other) {
  lowest = std::min(lowest, other.lowest);
  highest = std::max(highest, other.highest);
  flags = static_cast<std::uint8_t>(flags | other.flags);
}

std::size_t column_begin(const Window& window, std::size_t column, std::size_t columns) {
  // Multiplies before it divides: with as many columns as steps, each column is exactly one step.
  const double offset =
      (window.end - window.begin) * static_cast<double>(column) / static_cast<double>(columns);
  constexpr double kFarthest = 9e15;  // exact as a double
  const double at = std::min(window.begin + offset, kFarthest);
  if (!(at > 0)) return 0;
  const auto whole = static_cast<std::int64_t>(at);
  return static_cast<std::size_t>(whole) + (static_cast<double>(whole) < at ? 1U : 0U);
}

void Series::truncate(std::size_t size) {
  cut_thinned(size);
  values_.truncate(size);
}

void Series::cut_thinned(std::size_t size) {
  covered_ = std::min(covered_, size / kFanOut * kFanOut);
  sums_.resize(std::min(sums_.size(), size / kBlock));
  for (Level& level : levels_) {
    size /= kFanOut;
    if (level.flags.size() <= size) return;  // higher levels cover even less
    level.nodes.resize(size);
    level.flags.resize(size);
  }
}

void Series::scan(std::size_t begin, std::size_t end, Extremes& into) const {
  while (begin < end) {
    const auto stretch = values_.stretch(begin, end);
    scan_values(stretch.values, into);
    begin += stretch.skip;
  }
}

void Series::scan_level(const Level& level, std::size_t begin, std::size_t end, Extremes& into) {
  Extremes found = into;
  for (std::size_t i = begin; i < end; ++i) {
    found.lowest = std::min(found.lowest, level.nodes[i].lowest);
    found.highest = std::max(found.highest, level.nodes[i].highest);
    found.flags = static_cast<std::uint8_t>(found.flags | level.flags[i]);
  }
  into = found;
}

void Series::extend_pyramid() const {
  std::size_t below = values_.size();
  covered_ = below / kFanOut * kFanOut;
  for (std::size_t k = 0; k < kLevels; ++k) {
    Level& level = levels_[k];
    const std::size_t wanted = below / kFanOut;
    for (std::size_t node = level.flags.size(); node < wanted; ++node) {
      Extremes extremes;
      if (k == 0) {
        scan(node * kFanOut, (node + 1) * kFanOut, extremes);
      } else {
        scan_level(levels_[k - 1], node * kFanOut, (node + 1) * kFanOut, extremes);
      }
      level.nodes.push_back({extremes.lowest, extremes.highest});
      level.flags.push_back(extremes.flags);
    }
    below = wanted;
  }
}

Extremes Series::extremes(std::size_t begin, std::size_t end) const {
  extend_pyramid();
  return built_extremes(begin, end);
}

Extremes Series::built_extremes(std::size_t begin, std::size_t end) const {
  Extremes found;
  std::size_t low = std::min(begin, size());
  std::size_t high = std::min(end, size());
  // Climbs while whole nodes are inside of the range; the rest at both ends is read on each level.
  for (std::size_t level = 0; low < high; ++level) {
    const bool last = level == kLevels || high - low < 2 * kFanOut;
    const std::size_t inner_low = last ? high : (low + kFanOut - 1) / kFanOut * kFanOut;
    const std::size_t inner_high = last ? high : high / kFanOut * kFanOut;
    if (level == 0) {
      scan(low, inner_low, found);
      scan(inner_high, high, found);
    } else {
      scan_level(levels_[level - 1], low, inner_low, found);
      scan_level(levels_[level - 1], inner_high, high, found);
    }
    if (last) break;
    low = inner_low / kFanOut;
    high = inner_high / kFanOut;
  }
  return found;
}

void Series::columns(const Window& window, std::span<Extremes> out) const {
  extend_pyramid();
  // How many columns ahead memory is prefetched, as their ends are far apart in memory.
  constexpr std::size_t kAhead = 6;
  std::size_t begin = column_begin(window, 0, out.size());
  for (std::size_t column = 0; column < out.size(); ++column) {
    const std::size_t end = column_begin(window, column + 1, out.size());
    // Called here and not in a function of its own: g++ 12 takes a function that only prefetches
    // for one without effect and removes the calls.
    __builtin_prefetch(values_.place(column_begin(window, column + kAhead, out.size())));
    out[column] = built_extremes(begin, end);
    begin = end;
  }
}

void Series::extend_sums() const {
  const std::size_t wanted = values_.size() / kBlock;
  for (std::size_t block = sums_.size(); block < wanted; ++block)
    sums_.push_back(scan_sum(block * kBlock, (block + 1) * kBlock));
  covered_ = std::max(covered_, wanted * kBlock);
}

FiniteSum Series::sum(std::size_t begin, std::size_t end) const {
  end = std::min(end, size());
  // Series that are only queried for a few steps at a time need no memory for sums.
  if (end < begin + 4 * kBlock) return scan_sum(begin, end);
  extend_sums();
  const std::size_t first = (begin + kBlock - 1) / kBlock;
  const std::size_t last = end / kBlock;
  FiniteSum total = scan_sum(begin, first * kBlock);
  for (std::size_t block = first; block < last; ++block) total.add(sums_[block]);
  total.add(scan_sum(last * kBlock, end));
  return total;
}

FiniteSum Series::scan_sum(std::size_t begin, std::size_t end) const {
  FiniteSum total;
  while (begin < end) {
    const auto stretch = values_.stretch(begin, end);
    total.add(sum_values(stretch.values));
    begin += stretch.skip;
  }
  return total;
}

std::size_t Series::memory_bytes() const {
  std::size_t total = values_.memory_bytes() + sums_.capacity() * sizeof(FiniteSum);
  for (const Level& level : levels_)
    total += level.flags.capacity() + level.nodes.capacity() * sizeof(Node);
  return total;
}

}  // namespace ringside::model
