// The seam between the run log and the disk: a file that is appended to and read at offsets.
// An object is used by one thread. protocol/host/files.h opens a file on disk, which is closed with
// the object; tests/support has a fake in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "protocol/base/result.h"

namespace ringside {

class ByteFile {
 public:
  virtual ~ByteFile() = default;
  /// Appends all of `bytes` or fails. After a failure, size() shows how many bytes were written.
  virtual Result<void> append(std::span<const std::byte> bytes) = 0;
  /// Reads up to `into.size()` bytes from `offset`; fewer only at the end of the file.
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) = 0;
  virtual Result<std::uint64_t> size() = 0;
  /// Length of the hole of a sparse file that begins at `offset`; 0 when the file system knows of
  /// none.
  virtual std::uint64_t hole_at(std::uint64_t offset) = 0;
  /// Cuts the file back to `bytes`, so that later data does not follow a half-written tail.
  virtual Result<void> truncate(std::uint64_t bytes) = 0;
  /// Flushes what was appended to the device (fdatasync).
  virtual Result<void> sync() = 0;
};

}  // namespace ringside
