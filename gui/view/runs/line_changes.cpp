#include "gui/view/runs/line_changes.h"

#include <vector>

#include "protocol/base/text.h"

namespace ringside::view {
namespace {

constexpr std::ptrdiff_t kMostChanges = 400;

}  // namespace

LineChanges line_changes(std::string_view one, std::string_view other) {
  const auto a = lines_of(one);
  const auto b = lines_of(other);
  const std::ptrdiff_t n = std::ssize(a);
  const std::ptrdiff_t m = std::ssize(b);
  // The furthest line of `a` that this number of changes can reach on each diagonal, x - y = k.
  std::vector<std::ptrdiff_t> reached(2 * kMostChanges + 3, 0);
  const auto at = [&reached](std::ptrdiff_t k) -> std::ptrdiff_t& {
    return reached[static_cast<std::size_t>(k + kMostChanges + 1)];
  };
  for (std::ptrdiff_t d = 0; d <= kMostChanges; ++d) {
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
      std::ptrdiff_t x = down ? at(k + 1) : at(k - 1) + 1;
      std::ptrdiff_t y = x - k;
      while (x < n && y < m && x >= 0 && y >= 0 &&
             a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)])
        ++x, ++y;
      at(k) = x;
      // Both follow from d = added + removed and added - removed = m - n.
      if (x >= n && y >= m)
        return {static_cast<std::size_t>((d + m - n) / 2),
                static_cast<std::size_t>((d + n - m) / 2)};
    }
  }
  return {static_cast<std::size_t>(kMostChanges), 0, true};
}

std::string text_of(const LineChanges& changes) {
  if (changes.at_least) return "> " + std::to_string(changes.added) + " lines";
  if (changes.added + changes.removed == 0) return {};
  std::string text;
  if (changes.added > 0) text = "+" + std::to_string(changes.added);
  if (changes.removed > 0) text += (text.empty() ? "−" : " −") + std::to_string(changes.removed);
  return text;
}

}  // namespace ringside::view
