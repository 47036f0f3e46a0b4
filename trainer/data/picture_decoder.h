// JPEG and PNG files as red, green and blue planes, told apart by their first bytes. Grey,
// palettes, alpha, 16 bits and CMYK become RGB as Pillow's convert("RGB") has them: alpha is
// dropped, not blended. Callable from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "protocol/base/result.h"
#include "trainer/data/picture_files.h"

namespace ringside::data {

/// More pixels than that are refused before memory is taken.
inline constexpr std::int64_t kMostPicturePixels = 100'000'000;

/// Errors name the file, what is wrong with it and what to do.
Result<Picture> decode_picture(const std::filesystem::path& path);

/// The two formats; errors say only what is wrong.
Result<Picture> decode_jpeg(std::span<const std::uint8_t> bytes);
Result<Picture> decode_png(std::span<const std::uint8_t> bytes);

/// An error when a picture of this size is not to be decoded.
Result<void> check_picture_size(std::int64_t height, std::int64_t width);

}  // namespace ringside::data
