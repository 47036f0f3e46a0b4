// A ByteFile in memory that can run full and refuse truncation. Several files may share a disk,
// like a writer and its readers. Used by one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "protocol/base/byte_file.h"

namespace ringside::support {

/// The data that files of one name share; tests inspect and corrupt it.
struct MemoryDisk {
  std::vector<std::byte> bytes;
  std::uint64_t capacity_bytes =
      std::numeric_limits<std::uint64_t>::max();  ///< a write beyond it is cut and fails
  bool truncate_fails = false;
  bool read_fails = false;
  int syncs = 0;
};

std::unique_ptr<ByteFile> open_memory_file(std::shared_ptr<MemoryDisk> disk);

}  // namespace ringside::support
