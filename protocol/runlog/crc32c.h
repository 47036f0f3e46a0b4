// CRC-32C (Castagnoli, RFC 3720 appendix B.4), using the processor's instruction if it has one.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ringside::runlog {

/// "123456789" gives 0xE3069283.
std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace ringside::runlog
