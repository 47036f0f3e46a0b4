// Writing a file that a person asked for: whether its path may be written, and the line that states
// its origin. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "protocol/base/result.h"

namespace ringside::session {

struct ReportFile {
  std::filesystem::path path;
  std::uint64_t size_bytes = 0;
};

/// Fails if `file` exists and is not to be replaced (`replace`), or is anything but a regular file.
/// Creates its parent folders.
Result<void> make_way(const std::filesystem::path& file, bool replace);

/// Text such as "Written by ringside 1.0, 2026-11-21 13:40:05 UTC."
std::string written_text();

}  // namespace ringside::session
