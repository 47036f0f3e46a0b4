#include "protocol/runlog/crc32c.h"

#include <array>
#include <cstring>
#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace ringside::runlog {
namespace {

constexpr std::array<std::uint32_t, 256> castagnoli_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
    table[i] = crc;
  }
  return table;
}
constexpr auto kCastagnoli = castagnoli_table();

std::uint32_t by_table(std::uint32_t crc, std::span<const std::byte> bytes) {
  for (const std::byte b : bytes)
    crc = (crc >> 8) ^ kCastagnoli[(crc ^ std::to_integer<std::uint32_t>(b)) & 0xFFU];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2,crc32"))) std::uint32_t by_instruction(
    std::uint32_t crc, std::span<const std::byte> bytes) {
  std::uint64_t wide = crc;
  while (bytes.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    wide = _mm_crc32_u64(wide, word);
    bytes = bytes.subspan(sizeof(word));
  }
  crc = static_cast<std::uint32_t>(wide);
  for (const std::byte b : bytes) crc = _mm_crc32_u8(crc, std::to_integer<unsigned char>(b));
  return crc;
}
#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ~by_instruction(0xFFFFFFFFU, bytes);
#endif
  return ~by_table(0xFFFFFFFFU, bytes);
}

}  // namespace ringside::runlog
