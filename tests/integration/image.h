// PNG pictures of the window, and how far two of them differ in what they show. Fonts differ from
// machine to machine, so pixels are not compared but tiles: a tile where one picture shows
// something and the other nothing, or whose colour as a whole is another, differs. Tests only.
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
  /// The picture with this part filled in one colour, as if the panel there were missing.
  Picture without(const ui::Rect& part) const;

  /// What a tile shows: its mean colour, and how much there is to see in it.
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

/// Share of the tiles that differ, 0 .. 1; 1 for pictures of another size.
double difference(const Picture& a, const Picture& b);

/// Above this share a picture does not show what it should. Another font stays well below it, the
/// smallest panel that is missing is well above; screenshot_test.cpp shows both.
inline constexpr double kMostDifference = 0.006;

}  // namespace ringside::testing
