// A file that a person asked to be written: whether it may be written at that path, and what it
// states about its origin. Any thread.
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

/// Refuses what stands in the way: a file unless `replace`, and always what is no regular file.
/// Makes the folders above.
Result<void> make_way(const std::filesystem::path& file, bool replace);

/// "Written by ringside 1.0, 2026-11-21 13:40:05 UTC."
std::string written_text();

}  // namespace ringside::session
