#include "protocol/runlog/crc32c.h"

#include <array>
#include <string_view>

#include "tests/support/catch.h"

namespace ringside::runlog {
namespace {

std::uint32_t crc_of(std::string_view text) { return crc32c(std::as_bytes(std::span(text))); }

// Bitwise computation from the polynomial, to check the fast one at every length and alignment.
std::uint32_t slow_crc32c(std::span<const std::byte> bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const std::byte b : bytes) {
    crc ^= std::to_integer<std::uint32_t>(b);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
  }
  return ~crc;
}

TEST_CASE("CRC-32C returns the published check values") {
  CHECK(crc_of("123456789") == 0xE3069283U);
  CHECK(crc_of("") == 0U);
  // RFC 3720 B.4: 32 bytes of zeros, of ones, and ascending.
  std::array<std::byte, 32> bytes{};
  CHECK(crc32c(bytes) == 0x8A9136AAU);
  bytes.fill(std::byte{0xFF});
  CHECK(crc32c(bytes) == 0x62A8AB43U);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  CHECK(crc32c(bytes) == 0x46DD794EU);
}

TEST_CASE("CRC-32C matches the polynomial at every length and alignment") {
  std::array<std::byte, 300> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + 3);
  for (std::size_t from = 0; from < 9; ++from) {
    for (std::size_t length = 0; from + length <= bytes.size(); ++length) {
      const auto part = std::span(bytes).subspan(from, length);
      REQUIRE(crc32c(part) == slow_crc32c(part));
    }
  }
}

}  // namespace
}  // namespace ringside::runlog
