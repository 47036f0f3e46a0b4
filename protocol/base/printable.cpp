#include "protocol/base/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace ringside {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: not the start of a UTF-8 sequence
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (bytes == 0 || lead > 0xF4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return {};
  return {code, bytes};
}

// Control characters, and invisible characters that change how the text around them is shown.
bool steers(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return true;
  return code == 0x061C || (code >= 0x200E && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

void append_hex(std::string& line, const char* mark, std::uint32_t value, int digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  line += mark;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) line += kDigits[value >> shift & 15U];
}

}  // namespace

std::string printable_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    if (next.bytes == 0) {
      append_hex(line, "\\x", static_cast<unsigned char>(text[0]), 2);
    } else if (next.code == '\n') {
      line += "\\n";
    } else if (next.code == '\t') {
      line += "\\t";
    } else if (steers(next.code)) {
      next.code < 0x80 ? append_hex(line, "\\x", next.code, 2)
                       : append_hex(line, "\\u", next.code, 4);
    } else {
      line += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return line;
}

std::size_t first_character_bytes(std::string_view text) { return first_character(text).bytes; }

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = first_character_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04X", static_cast<unsigned>(c));
      result += code;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace ringside
