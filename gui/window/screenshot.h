// Writes a frame as a PNG. Main thread, after drawing and before the swap, with the OpenGL context
// current.
#pragma once

#include <filesystem>

#include "gui/ui/rect.h"
#include "protocol/base/result.h"

namespace ringside::window {

/// Writes `part` of the back buffer, in pixels from its upper left corner; `frame_height` is the
/// height of the whole buffer. The error names the file and the reason.
Result<void> write_shot(const std::filesystem::path& file, const ui::Rect& part, int frame_height);

}  // namespace ringside::window
