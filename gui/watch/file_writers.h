// Whether a process on this machine has a file open for writing, as far as this user can see. Reads
// /proc; any thread.
#pragma once

#include <filesystem>
#include <span>

namespace ringside::watch {

/// Whether one of the files is open for writing. False if it is open only on another machine, or by
/// another user.
bool has_writer(std::span<const std::filesystem::path> files);

}  // namespace ringside::watch
