#include "gui/launch/quick/time_left.h"

#include <algorithm>

namespace ringside::launch {
namespace {

/// Factor by which completed runs took longer than expected.
double overrun(std::span<const RunTime> over) {
  double expected_s = 0;
  double took_s = 0;
  for (const RunTime& run : over) {
    if (run.expected_s <= 0 || run.took_s <= 0) continue;
    expected_s += run.expected_s;
    took_s += run.took_s;
  }
  return expected_s > 0 ? took_s / expected_s : 1;
}

}  // namespace

std::optional<double> time_left_s(std::span<const RunTime> runs, std::size_t current,
                                  double elapsed_s, std::optional<double> left_s) {
  if (current >= runs.size()) return 0;
  const double factor = overrun(runs.first(current));
  const double expected_s = runs[current].expected_s * factor;
  if (!left_s && expected_s <= 0) return std::nullopt;
  // A run that takes longer than expected is still given some time.
  double sum_s = left_s ? *left_s : std::max(expected_s - elapsed_s, 0.1 * expected_s);
  for (const RunTime& run : runs.subspan(current + 1)) {
    if (run.expected_s <= 0) return std::nullopt;
    sum_s += run.expected_s * factor;
  }
  return sum_s;
}

}  // namespace ringside::launch
