// PNG pictures of the window, and how much their contents differ. Fonts differ between machines, so
// tiles are compared and not pixels: a tile differs if only one picture has contents there, or if
// its mean color is another one. Only for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "gui/ui/rect.h"
#include "protocol/base/result.h"

namespace ringside::testing {

class Picture {
 public:
  static Result<Picture> read(const std::filesystem::path& file);

  int width() const { return width_; }
  int height() const { return height_; }
  /// The picture with this area filled in one color, as if the panel there were missing.
  Picture without(const ui::Rect& part) const;

  /// The contents of a tile: its mean color and its contrast.
  struct Tile {
    double red = 0, green = 0, blue = 0;  ///< 0 .. 255
    double contrast = 0;                  ///< standard deviation of the brightness
  };
  Tile tile(int x, int y, int side) const;

 private:
  int width_ = 0;
  int height_ = 0;
  std::vector<std::uint8_t> rgb_;
};

/// Share of the tiles that differ, 0 .. 1; 1 if the sizes differ.
double difference(const Picture& a, const Picture& b);

/// Above this share a picture counts as wrong. Another font stays well below it, and the smallest
/// missing panel is well above; screenshot_test.cpp shows both.
inline constexpr double kMostDifference = 0.006;

}  // namespace ringside::testing
