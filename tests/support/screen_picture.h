// What an X server shows, as a PNG file. Tests only.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"

namespace ringside::testing {

/// `screen`: as Xvfb keeps it in a file and xwd writes it (XWDFile.h, version 7), 32 bits a pixel.
Result<void> write_picture(const std::filesystem::path& screen, const std::filesystem::path& png);

}  // namespace ringside::testing
