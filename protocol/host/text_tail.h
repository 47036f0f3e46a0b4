// The end of a text file that another program writes, read without its beginning. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ringside {

/// The last `most_bytes` of the file, from the beginning of a line on; empty when it cannot be
/// read.
std::string end_of_file(const std::filesystem::path& path, std::size_t most_bytes);

/// The last lines of the file with something in them, oldest first: at most `most_lines` out of the
/// last `most_bytes`, each made printable and cut to 300 bytes. Empty when the file is empty or
/// cannot be read.
std::vector<std::string> last_lines(const std::filesystem::path& path, std::size_t most_lines,
                                    std::size_t most_bytes = std::size_t{64} << 10);

}  // namespace ringside
