// Converts the content of an X server's screen to a PNG file. Tests only.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"

namespace ringside::testing {

/// `screen`: a file of Xvfb in the format of xwd (XWDFile.h, version 7), 32 bits per pixel.
Result<void> write_picture(const std::filesystem::path& screen, const std::filesystem::path& png);

}  // namespace ringside::testing
