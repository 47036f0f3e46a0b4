#include "gui/view/timeline/lane_boxes.h"

#include <algorithm>
#include <cmath>

namespace ringside::view {
namespace {

constexpr double kEighths = 8;
constexpr std::uint8_t kFaintest = 2;
/// Number of events of a pixel column that are examined to choose its name and colour.
constexpr std::size_t kLookedAt = 8;

/// Returns the name of the longest of a few events sampled from [first, end).
std::uint32_t long_name(const model::Lane& lane, std::size_t first, std::size_t end) {
  const std::size_t step = (end - first - 1) / kLookedAt + 1;
  std::size_t longest = first;
  for (std::size_t i = first; i < end; i += step) {
    if (lane.duration_ns(i) > lane.duration_ns(longest)) longest = i;
  }
  return lane.name[longest];
}

/// Appends the column, or extends the last box if both look the same.
void add_pixel_column(const TimelineBox& column, std::vector<TimelineBox>& boxes) {
  if (!boxes.empty()) {
    TimelineBox& last = boxes.back();
    const bool beside = std::abs(last.end - column.begin) < 0.05F && last.events > 1;
    if (beside && last.fullness == column.fullness && last.name == column.name) {
      last.end = column.end;
      last.events += column.events;
      return;
    }
  }
  boxes.push_back(column);
}

}  // namespace

std::vector<TimelineBox> lane_boxes(const model::Lane& lane, const TimelineWindow& window) {
  std::vector<TimelineBox> boxes;
  const double pixel_ns = window.ns_per_pixel();
  const auto right = static_cast<float>(window.pixels);
  for (std::size_t i = model::first_ending_after(lane, window.begin_ns);
       i < lane.size() && lane.begin_ns[i] < window.end_ns;) {
    const auto wide = [&](std::size_t event) {
      return static_cast<double>(lane.duration_ns(event)) >= pixel_ns;
    };
    TimelineBox box{.first = static_cast<std::uint32_t>(i), .name = lane.name[i]};
    if (wide(i)) {
      box.begin = std::max(0.0F, window.x_of(lane.begin_ns[i]));
      box.end = std::min(right, window.x_of(lane.end_ns(i)));
      boxes.push_back(box);
      ++i;
      continue;
    }
    // Columns are aligned to a fixed grid, so that they do not change while the window moves.
    const double column = std::floor(static_cast<double>(lane.begin_ns[i]) / pixel_ns);
    const auto end_ns = static_cast<std::int64_t>(std::ceil((column + 1) * pixel_ns));
    std::size_t end = std::max(i + 1, model::first_beginning_at(lane, i, end_ns));
    if (end > i + 1 && wide(end - 1)) --end;
    const double busy = static_cast<double>(lane.busy_ns[end] - lane.busy_ns[i]) / pixel_ns;
    const auto shift = static_cast<double>(window.begin_ns) / pixel_ns;
    box.begin = std::clamp(static_cast<float>(column - shift), 0.0F, right);
    box.end = std::clamp(static_cast<float>(column + 1 - shift), 0.0F, right);
    box.events = static_cast<std::uint32_t>(end - i);
    box.name = long_name(lane, i, end);
    box.fullness = static_cast<std::uint8_t>(
        std::clamp(std::round(busy * kEighths), static_cast<double>(kFaintest), kEighths));
    add_pixel_column(box, boxes);
    i = end;
  }
  return boxes;
}

}  // namespace ringside::view
