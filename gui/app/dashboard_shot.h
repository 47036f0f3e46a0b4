// A picture of the frame that is about to be shown, as a PNG. Main thread, with the OpenGL context
// current.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"

namespace ringside::app {

/// Reads the back buffer: the front one may be undefined.
Result<void> write_shot(const std::filesystem::path& file, int width, int height);

}  // namespace ringside::app
