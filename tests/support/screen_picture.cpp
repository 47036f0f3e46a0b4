#include "tests/support/screen_picture.h"

#include <png.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/host/files.h"

namespace ringside::testing {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kColourBytes = 12;

/// Words of the header, big-endian on every machine.
enum Word : std::size_t {
  kHeaderBytes = 0,
  kWidth = 4,
  kHeight = 5,
  kPixelBits = 11,
  kLineBytes = 12,
  kColours = 19,
  kWords = 25
};

std::uint32_t word_in(std::string_view text, Word at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8U | static_cast<std::uint8_t>(text[std::size_t{at} * 4 + i]);
  return value;
}

}  // namespace

Result<void> write_picture(const std::filesystem::path& screen, const std::filesystem::path& png) {
  const auto text = RINGSIDE_TRY(read_text(screen, kMostBytes));
  if (text.size() < kWords * 4) return failure(screen.string() + " has no header");
  const std::size_t width = word_in(text, kWidth);
  const std::size_t height = word_in(text, kHeight);
  const std::size_t line = word_in(text, kLineBytes);
  const std::size_t begin =
      word_in(text, kHeaderBytes) + std::size_t{word_in(text, kColours)} * kColourBytes;
  if (word_in(text, kPixelBits) != 32 || line < width * 4 || text.size() < begin + line * height)
    return failure(screen.string() + " is not a screen of 32 bits a pixel");
  std::vector<std::uint8_t> rgb;
  rgb.reserve(width * height * 3);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t at = begin + y * line + x * 4;  // blue, green, red, unused
      for (const std::size_t colour : {2U, 1U, 0U})
        rgb.push_back(static_cast<std::uint8_t>(text[at + colour]));
    }
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, png.c_str(), 0, rgb.data(), 0, nullptr) != 0) return {};
  return failure(png.string() + " cannot be written: " + image.message);
}

}  // namespace ringside::testing
