// Folders in the desktop's own program for them. Any thread.
#pragma once

#include <string>

#include "protocol/base/result.h"

namespace ringside::session {

/// Asks the desktop to show a folder; returns at once. Fails with the path where nothing can.
Result<void> show_in_file_manager(const std::string& folder);

}  // namespace ringside::session
