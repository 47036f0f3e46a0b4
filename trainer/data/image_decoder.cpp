#include "trainer/data/image_decoder.h"

#include <algorithm>
#include <array>
#include <new>

#include "trainer/data/file_bytes.h"

namespace ringside::data {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{256} << 20;
constexpr std::array<std::uint8_t, 8> kPng{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::array<std::uint8_t, 3> kJpeg{0xff, 0xd8, 0xff};

bool begins_with(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> start) {
  return bytes.size() >= start.size() && std::equal(start.begin(), start.end(), bytes.begin());
}

Result<Image> decode(std::span<const std::uint8_t> bytes) {
  if (begins_with(bytes, kJpeg)) return decode_jpeg(bytes);
  if (begins_with(bytes, kPng)) return decode_png(bytes);
  return failure(bytes.empty() ? "the file is empty" : "neither JPEG nor PNG by its first bytes");
}

}  // namespace

Result<void> check_image_size(std::int64_t height, std::int64_t width) {
  if (height > 0 && width > 0 && height <= kMostImagePixels / width) return {};
  return failure("an image of " + std::to_string(width) + " x " + std::to_string(height) +
                 " pixels is not read; the limit is " + std::to_string(kMostImagePixels) +
                 " pixels");
}

Result<Image> decode_image(const std::filesystem::path& path) {
  try {
    const auto bytes = RINGSIDE_TRY(read_bytes(path, kMostFileBytes));
    auto image = decode(bytes);
    if (image) return image;
    return failure(path.string() + ": broken image: " + image.error().message +
                   "; replace or remove the file");
  } catch (const std::bad_alloc&) {
    return failure(path.string() + ": not enough memory to decode the image");
  }
}

}  // namespace ringside::data
