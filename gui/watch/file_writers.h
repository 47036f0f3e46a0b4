// Whether a process of this machine has a file open for writing, as far as this user may see.
// Reads /proc; any thread.
#pragma once

#include <filesystem>
#include <span>

namespace ringside::watch {

/// True when one of the files is open for writing. False also where it may be so elsewhere: on
/// another machine, or by another user.
bool has_writer(std::span<const std::filesystem::path> files);

}  // namespace ringside::watch
