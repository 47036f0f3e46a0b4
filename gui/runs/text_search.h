// Looks for a text in files of any length: reads them in blocks, so that a file of gigabytes costs
// no memory, and stops when asked. Case of ASCII letters does not count. Reads files; any thread.
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
  std::string text;        ///< at most kMostLineBytes of it, around the first match
};
inline constexpr std::size_t kMostLineBytes = 2000;

struct FoundLines {
  std::deque<FoundLine> lines;  ///< the last ones
  std::uint64_t matches = 0;    ///< lines that hold the text
  std::uint64_t bytes = 0;      ///< read
};

/// The last `most` lines of the file that hold `text`. With `cancel` set it ends early with what it
/// has. A file that is not there holds nothing; an empty text is found nowhere.
Result<FoundLines> search_file(const std::filesystem::path& path, const std::string& text,
                               std::size_t most, const std::atomic<bool>& cancel);

}  // namespace ringside::runs
