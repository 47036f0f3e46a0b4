// Reads and writes whole files, including gzip, with errors that name the file. Callable from any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::data {

/// The bytes of `path`; a file whose name ends in .gz is unpacked and its checksum verified. More
/// than `limit_bytes` (unpacked) is an error.
Result<std::vector<std::uint8_t>> read_bytes(const std::filesystem::path& path,
                                             std::size_t limit_bytes = std::size_t{1} << 31);

/// Creates or replaces `path` with the concatenated parts, and syncs it (fsync).
Result<void> write_bytes(const std::filesystem::path& path,
                         std::initializer_list<std::span<const std::uint8_t>> parts);

}  // namespace ringside::data
