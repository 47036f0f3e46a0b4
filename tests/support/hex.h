// Formats bytes as lower-case hexadecimal text, for golden bytes. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ringside::support {

inline std::string to_hex(std::span<const std::byte> bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte b : bytes) {
    text += kDigits[std::to_integer<unsigned>(b >> 4)];
    text += kDigits[std::to_integer<unsigned>(b & std::byte{15})];
  }
  return text;
}

}  // namespace ringside::support
