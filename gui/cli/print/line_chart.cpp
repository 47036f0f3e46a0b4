#include "gui/cli/print/line_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ringside::cli {
namespace {

constexpr std::size_t kDotsAcross = 2;
constexpr std::size_t kDotsDown = 4;

/// Bit of a dot in a braille pattern, U+2800 and following (The Unicode Standard, chapter 21.1).
std::uint8_t dot_bit(std::size_t across, std::size_t down) {
  constexpr std::uint8_t kBits[kDotsDown][kDotsAcross] = {
      {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  return kBits[down][across];
}

/// The pattern in UTF-8.
std::string pattern(std::uint8_t dots) {
  if (dots == 0) return " ";
  return {'\xE2', static_cast<char>(0xA0 | (dots >> 6)), static_cast<char>(0x80 | (dots & 0x3F))};
}

}  // namespace

std::vector<std::string> line_chart(const model::Series& series, std::size_t columns,
                                    std::size_t rows) {
  const model::Extremes all = series.extremes(0, series.size());
  if (!all.has_finite() || columns == 0 || rows == 0) return {};
  const std::size_t across = columns * kDotsAcross;
  const std::size_t down = rows * kDotsDown;
  const double span = static_cast<double>(all.highest) - static_cast<double>(all.lowest);
  const auto row_of = [&](float value) {
    const double share =
        span > 0 ? (static_cast<double>(all.highest) - static_cast<double>(value)) / span : 0.5;
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(down - 1)));
  };
  std::vector<std::uint8_t> dots(columns * rows, 0);
  std::size_t top_before = 0;
  std::size_t bottom_before = down;
  for (std::size_t x = 0; x < across; ++x) {
    const std::size_t begin = x * series.size() / across;
    const std::size_t end = std::max(begin + 1, (x + 1) * series.size() / across);
    const model::Extremes here = series.extremes(begin, end);
    if (!here.has_finite()) {
      top_before = 0;
      bottom_before = down;
      continue;
    }
    // The curve is connected to the column before.
    const std::size_t top = std::min(row_of(here.highest), bottom_before + 1);
    const std::size_t bottom =
        std::max(row_of(here.lowest), std::max<std::size_t>(top_before, 1) - 1);
    for (std::size_t y = top; y <= bottom; ++y)
      dots[(y / kDotsDown) * columns + x / kDotsAcross] |= dot_bit(x % kDotsAcross, y % kDotsDown);
    top_before = row_of(here.highest);
    bottom_before = row_of(here.lowest);
  }
  std::vector<std::string> lines(rows);
  for (std::size_t i = 0; i < dots.size(); ++i) lines[i / columns] += pattern(dots[i]);
  for (std::string& line : lines) line.resize(line.find_last_not_of(' ') + 1);
  return lines;
}

}  // namespace ringside::cli
