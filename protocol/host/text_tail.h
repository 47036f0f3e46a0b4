// The end of a text file that another program writes, without reading its beginning. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

/// Up to `most_bytes` from the end of the file, beginning with a whole line; empty when it cannot
/// be read.
std::string end_of_file(const std::filesystem::path& path, std::size_t most_bytes);

/// The last lines that are not blank, oldest first: at most `most_lines` from the last
/// `most_bytes`, each made printable and cut to 300 bytes. Empty when the file is empty or cannot
/// be read.
std::vector<std::string> last_lines(const std::filesystem::path& path, std::size_t most_lines,
                                    std::size_t most_bytes = std::size_t{64} << 10);

}  // namespace ringside
