// Opens files for the run log, and reads or writes small ones whole. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/base/byte_file.h"
#include "protocol/base/result.h"

namespace ringside {

enum class OpenMode {
  kRead,       ///< must exist and be a regular file: reading a pipe could block forever
  kCreateNew,  ///< must not exist; mode 0600
  kAppend,     ///< created when missing, mode 0600
};

Result<std::unique_ptr<ByteFile>> open_file(const std::filesystem::path& path, OpenMode mode);

/// The whole of a small file as text. Errors name the path; files above `limit_bytes` are refused.
Result<std::string> read_text(const std::filesystem::path& path,
                              std::size_t limit_bytes = std::size_t{16} << 20);

/// Writes a temporary file beside the target, syncs it and renames it, so that a reader sees the
/// old or the new text, never part of one. `mode` is the permission of the file.
Result<void> write_text_atomically(const std::filesystem::path& path, std::string_view text,
                                   unsigned mode = 0600);

}  // namespace ringside
