// Writes a file atomically: it is written beside the target, synced and renamed over it, so that a
// reader sees the old file or the whole new one. Any thread; one call per file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "protocol/base/result.h"

namespace ringside::engine {

/// Writes the bytes of a file in order. After an error everything else is dropped, so that callers
/// who write through other code need not check each call.
class FileSink {
 public:
  explicit FileSink(int fd) : fd_(fd) {}
  void write(const void* data, std::size_t size);
  int error() const { return error_; }  ///< errno, or 0

 private:
  int fd_;
  int error_ = 0;
};

/// `fill` writes the content; an exception in it becomes the error. Mode 0600. Returns the size in
/// bytes.
Result<std::int64_t> write_atomically(const std::filesystem::path& path,
                                      const std::function<void(FileSink&)>& fill);

}  // namespace ringside::engine
