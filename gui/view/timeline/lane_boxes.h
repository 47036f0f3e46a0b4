// A lane of a timeline for so many pixels: what is a pixel wide or wider by itself, and what is
// shorter gathered by pixel columns, as full as they are busy. Its cost follows the pixels and the
// logarithm of the events. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/model/timeline/timeline.h"
#include "gui/view/colors.h"

namespace ringside::view {

/// What is shown of the time of a timeline.
struct TimelineWindow {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  int pixels = 1;

  double ns_per_pixel() const {
    return static_cast<double>(end_ns - begin_ns) / static_cast<double>(pixels);
  }
  float x_of(std::int64_t at_ns) const {
    return static_cast<float>(static_cast<double>(at_ns - begin_ns) / ns_per_pixel());
  }
  std::int64_t at(float x) const {
    return begin_ns + static_cast<std::int64_t>(static_cast<double>(x) * ns_per_pixel());
  }
};

struct TimelineBox {
  float begin = 0;  ///< pixels from the left of the window, cut at its edges
  float end = 0;
  std::uint32_t first = 0;  ///< the event, or the first of them
  std::uint32_t events = 1;
  std::uint32_t name = 0;     ///< of the event; of several that of a long one
  std::uint8_t fullness = 8;  ///< how much of it is busy, in eighths, at least 2
};

/// At most two boxes for a pixel, from left to right; none where nothing is.
std::vector<TimelineBox> lane_boxes(const model::Lane& lane, const TimelineWindow& window);

}  // namespace ringside::view
