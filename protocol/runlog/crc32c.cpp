#include "protocol/runlog/crc32c.h"

#include <isa-l/crc.h>

namespace ringside::runlog {

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  // crc32_iscsi neither inverts its start value nor its result, and does not write through its
  // pointer. Spans here are at most a segment, far below INT_MAX.
  auto* data = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
  return ~crc32_iscsi(data, static_cast<int>(bytes.size()), 0xFFFFFFFFU);
}

}  // namespace ringside::runlog
