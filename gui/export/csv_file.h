// Writes a CSV file with one buffer, and one write call per full buffer. Used by one thread. Errors
// are kept until close(), so that rows need no check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "protocol/base/byte_file.h"

namespace ringside::exporting {

class CsvFile {
 public:
  static Result<CsvFile> create(const std::filesystem::path& path);

  /// Memory for `bytes` more characters, valid until the next call.
  char* room(std::size_t bytes) {
    if (buffer_.size() - used_ < bytes) make_room(bytes);
    return buffer_.data() + used_;
  }
  /// Adds the characters from room() up to `end`.
  void take(const char* end) { used_ = static_cast<std::size_t>(end - buffer_.data()); }

  /// Writes the rest. Returns the first error of all writes, if any.
  Result<void> close();
  /// Number of characters passed to the file so far.
  std::uint64_t written_bytes() const { return written_ + used_; }

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

  explicit CsvFile(std::unique_ptr<ByteFile> file) : file_(std::move(file)) {}
  void make_room(std::size_t bytes);
  void flush();

  std::unique_ptr<ByteFile> file_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  std::uint64_t written_ = 0;
  Result<void> outcome_;
};

}  // namespace ringside::exporting
