// State of the Sampler page between frames: an open tab, and the part shown by the grid, from which
// the keys move on. Plain data; main thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gui/view/sampler/sampler_view.h"

namespace ringside::ui {

struct SamplerMemory {
  int tab = 0;  ///< if the lower panels share one
  // The grid as it was last drawn.
  std::int64_t first_sample = 0;
  std::int64_t per_cell = 1;
  std::int64_t columns = 1;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t pass = -1;
  std::int64_t dragged_from = -1;  ///< its first sample when dragging began

  /// The first sample after moving by a quarter of the grid to the left or right.
  std::int64_t beside(int direction) const {
    const std::int64_t cells = std::max<std::int64_t>(1, columns / 4);
    return std::max<std::int64_t>(0, first_sample + direction * cells * per_cell);
  }
  std::int64_t row_at(std::int64_t by) const {
    return std::clamp<std::int64_t>(first_row + by, 0, std::max<std::int64_t>(0, rows - 1));
  }
  std::int64_t zoomed(int by) const {
    const auto& levels = view::kSamplesPerCell;
    const auto now = std::find(levels.begin(), levels.end(), per_cell) - levels.begin();
    const auto last = static_cast<std::ptrdiff_t>(levels.size()) - 1;
    return levels[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(now + by, 0, last))];
  }
};

}  // namespace ringside::ui
