// Decodes JPEG and PNG files, recognised by their first bytes, to red, green and blue planes. Grey,
// palettes, alpha, 16 bits and CMYK become RGB as with Pillow's convert("RGB"): alpha is dropped,
// not blended. Callable from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "protocol/base/result.h"
#include "trainer/data/image_files.h"

namespace ringside::data {

/// Limit of height x width; larger images are refused before memory is allocated.
inline constexpr std::int64_t kMostImagePixels = 100'000'000;

/// Errors name the file, the problem and what to do.
Result<Image> decode_image(const std::filesystem::path& path);

/// Decode the bytes of a file; unlike those of decode_image, errors do not name the file.
Result<Image> decode_jpeg(std::span<const std::uint8_t> bytes);
Result<Image> decode_png(std::span<const std::uint8_t> bytes);

/// An error if the size is 0 in one direction or exceeds kMostImagePixels.
Result<void> check_image_size(std::int64_t height, std::int64_t width);

}  // namespace ringside::data
