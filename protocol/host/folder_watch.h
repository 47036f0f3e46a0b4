// Waiting for changes in a folder. On macOS nothing is told, and a reader looks at intervals, as
// everywhere at folders of other machines. Used by one thread.
#pragma once

#include <cstdint>
#include <filesystem>

#include "protocol/host/descriptor.h"

namespace ringside {

/// A watch for writes of this machine into the folder's files; invalid if the system has none.
Descriptor watch_folder(const std::filesystem::path& folder);

/// Reads all that the watch has to tell. Returns whether a file was created or removed.
bool take_told(int watch);

/// Waits until the watch has something to tell, including what came since take_told(); without a
/// watch, until the time is over.
void wait_for_told(int watch, std::int64_t wait_ns);

}  // namespace ringside
