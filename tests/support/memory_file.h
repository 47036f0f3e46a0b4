// A ByteFile in memory that can run full and refuse to be cut. Several files may show the same
// disk, as a writer and its readers do. Used by one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "protocol/base/byte_file.h"

namespace ringside::support {

/// What the files of one name share; the test looks at it and breaks it.
struct MemoryDisk {
  std::vector<std::byte> bytes;
  std::uint64_t capacity_bytes =
      std::numeric_limits<std::uint64_t>::max();  ///< a write beyond is cut off and fails
  bool truncate_fails = false;
  bool read_fails = false;
  int syncs = 0;
};

std::unique_ptr<ByteFile> open_memory_file(std::shared_ptr<MemoryDisk> disk);

}  // namespace ringside::support
