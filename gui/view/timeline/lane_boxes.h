// Reduces a lane of a timeline to boxes for a given width in pixels. Events at least one pixel wide
// are boxes of their own; shorter ones are merged by pixel column, with the share of time that they
// are busy. The cost grows with the pixels and the logarithm of the events. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/model/timeline/timeline.h"
#include "gui/view/colors.h"

namespace ringside::view {

/// The shown range of time.
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
  float begin = 0;  ///< pixels from the left of the window, clipped to it
  float end = 0;
  std::uint32_t first = 0;  ///< index of the event, or of the first of several
  std::uint32_t events = 1;
  std::uint32_t name = 0;     ///< name of the event; of several events, that of a long one
  std::uint8_t fullness = 8;  ///< busy share in eighths, at least 2
};

/// Returns at most two boxes per pixel, from left to right; no box for a time without events.
std::vector<TimelineBox> lane_boxes(const model::Lane& lane, const TimelineWindow& window);

}  // namespace ringside::view
