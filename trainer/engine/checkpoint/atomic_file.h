// Writes a file so that a reader sees the old one or the whole new one: beside it, synced, renamed
// over it. Any thread; one call, one file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "protocol/base/result.h"

namespace ringside::engine {

/// Takes the bytes of a file in order. The first error is kept, and what follows it is dropped, so
/// that callers who write through other code need not carry it.
class FileSink {
 public:
  explicit FileSink(int fd) : fd_(fd) {}
  void write(const void* data, std::size_t size);
  int error() const { return error_; }  ///< errno, or 0

 private:
  int fd_;
  int error_ = 0;
};

/// `fill` writes the content; what it throws becomes the error. Mode 0600. Returns the size.
Result<std::int64_t> write_atomically(const std::filesystem::path& path,
                                      const std::function<void(FileSink&)>& fill);

}  // namespace ringside::engine
