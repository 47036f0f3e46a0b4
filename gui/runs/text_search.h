// Searches for a text in files of any length: reads them in blocks, so that a file of gigabytes
// needs no memory, and stops when asked. Ignores the case of ASCII letters. Reads files; any
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>

#include "protocol/base/result.h"

namespace ringside::runs {

struct FoundLine {
  std::uint64_t line = 0;  ///< from 1
  std::string text;        ///< at most kMostLineBytes of the line, around the first match
};
inline constexpr std::size_t kMostLineBytes = 2000;

struct FoundLines {
  std::deque<FoundLine> lines;  ///< the last matching lines
  std::uint64_t matches = 0;    ///< number of matching lines
  std::uint64_t bytes = 0;      ///< number of bytes read
};

/// The last `most` lines of the file that contain `text`. Setting `cancel` ends it early with the
/// lines so far. A file that does not exist has no matches, and neither has an empty text.
Result<FoundLines> search_file(const std::filesystem::path& path, const std::string& text,
                               std::size_t most, const std::atomic<bool>& cancel);

}  // namespace ringside::runs
