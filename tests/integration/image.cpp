#include "tests/integration/image.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace ringside::testing {
namespace {

constexpr int kTile = 24;
constexpr std::size_t kMoved = 2;  // in tiles
/// A missing panel makes adjacent tiles differ; another font changes only single ones.
constexpr int kTogether = 2;
/// Standard deviation of the brightness (0 .. 255) from which a tile has contents.
constexpr double kSomething = 7;
constexpr double kNothing = 3;
/// Difference of the mean color, in any channel, from which tiles differ.
constexpr double kOtherColour = 26;

using Tiles = std::vector<std::vector<Picture::Tile>>;

Tiles tiles_of(const Picture& picture) {
  Tiles tiles;
  for (int y = 0; y < picture.height(); y += kTile) {
    tiles.emplace_back();
    for (int x = 0; x < picture.width(); x += kTile)
      tiles.back().push_back(picture.tile(x, y, kTile));
  }
  return tiles;
}

/// Whether the tile and its neighbours are empty, as far as another font may shift words.
bool nothing_around(const std::vector<Picture::Tile>& row, std::size_t at) {
  const std::size_t begin = at < kMoved ? 0 : at - kMoved;
  const std::size_t end = std::min(at + kMoved + 1, row.size());
  return std::all_of(row.begin() + static_cast<std::ptrdiff_t>(begin),
                     row.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const Picture::Tile& tile) { return tile.contrast < kNothing; });
}

bool differs(const std::vector<Picture::Tile>& a, const std::vector<Picture::Tile>& b,
             std::size_t at) {
  const bool gone = (a[at].contrast > kSomething && nothing_around(b, at)) ||
                    (b[at].contrast > kSomething && nothing_around(a, at));
  const double colour =
      std::max({std::abs(a[at].red - b[at].red), std::abs(a[at].green - b[at].green),
                std::abs(a[at].blue - b[at].blue)});
  return gone || colour > kOtherColour;
}

/// Number of differing tiles among the eight around a tile.
int neighbours(const std::vector<std::vector<bool>>& apart, std::size_t row, std::size_t at) {
  int count = 0;
  for (std::size_t r = row == 0 ? 0 : row - 1; r < std::min(row + 2, apart.size()); ++r) {
    for (std::size_t c = at == 0 ? 0 : at - 1; c < std::min(at + 2, apart[r].size()); ++c)
      count += apart[r][c] && (r != row || c != at) ? 1 : 0;
  }
  return count;
}

}  // namespace

Result<Picture> Picture::read(const std::filesystem::path& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, file.c_str()) == 0)
    return failure(file.string() + " cannot be read: " + image.message);
  image.format = PNG_FORMAT_RGB;
  Picture picture;
  picture.width_ = static_cast<int>(image.width);
  picture.height_ = static_cast<int>(image.height);
  picture.rgb_.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, picture.rgb_.data(), 0, nullptr) == 0)
    return failure(file.string() + " cannot be read: " + image.message);
  return picture;
}

Picture Picture::without(const ui::Rect& part) const {
  Picture rest = *this;
  const int left = std::max(0, static_cast<int>(part.x));
  const int top = std::max(0, static_cast<int>(part.y));
  const int right = std::min(width_, static_cast<int>(part.right()));
  const int bottom = std::min(height_, static_cast<int>(part.bottom()));
  // A missing panel is filled with the color between panels.
  const std::uint8_t* gap = &rgb_[static_cast<std::size_t>((height_ - 30) * width_ + 68) * 3];
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x)
      std::copy_n(gap, 3, &rest.rgb_[static_cast<std::size_t>(y * width_ + x) * 3]);
  }
  return rest;
}

Picture::Tile Picture::tile(int x, int y, int side) const {
  Tile tile;
  double sum = 0;
  double squares = 0;
  int count = 0;
  for (int row = y; row < std::min(y + side, height_); ++row) {
    for (int column = x; column < std::min(x + side, width_); ++column) {
      const std::uint8_t* at = &rgb_[static_cast<std::size_t>(row * width_ + column) * 3];
      const double brightness = 0.3 * at[0] + 0.6 * at[1] + 0.1 * at[2];
      tile.red += at[0];
      tile.green += at[1];
      tile.blue += at[2];
      sum += brightness;
      squares += brightness * brightness;
      ++count;
    }
  }
  const double n = std::max(1, count);
  tile.red /= n;
  tile.green /= n;
  tile.blue /= n;
  tile.contrast = std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
  return tile;
}

double difference(const Picture& a, const Picture& b) {
  if (a.width() != b.width() || a.height() != b.height() || a.width() == 0) return 1;
  const Tiles of_a = tiles_of(a);
  const Tiles of_b = tiles_of(b);
  std::vector<std::vector<bool>> apart;
  std::size_t tiles = 0;
  for (std::size_t row = 0; row < of_a.size(); ++row) {
    apart.emplace_back();
    for (std::size_t at = 0; at < of_a[row].size(); ++at)
      apart.back().push_back(differs(of_a[row], of_b[row], at));
    tiles += of_a[row].size();
  }
  std::size_t different = 0;
  for (std::size_t row = 0; row < apart.size(); ++row) {
    for (std::size_t at = 0; at < apart[row].size(); ++at)
      different += apart[row][at] && neighbours(apart, row, at) >= kTogether ? 1U : 0U;
  }
  return static_cast<double>(different) / static_cast<double>(tiles);
}

}  // namespace ringside::testing
