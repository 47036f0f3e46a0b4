#include "gui/export/csv_text.h"

#include <algorithm>

#include "protocol/base/printable.h"

namespace ringside::exporting {
namespace {

bool looks_like_formula(std::string_view text) {
  if (text.starts_with('\t') || text.starts_with('\r')) return true;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && std::string_view("=+-@").find(text[first]) != text.npos;
}

bool needs_quotes(std::string_view text) {
  if (text.empty()) return false;
  return text.front() == ' ' || text.back() == ' ' || text.find_first_of(",\"\r\n") != text.npos;
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) > 0; });
}

char* put_byte(char* at, char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  for (const char c : {'\\', 'x', kDigits[value >> 4U], kDigits[value & 15U]}) *at++ = c;
  return at;
}

}  // namespace

char* put_text(char* at, std::string_view text) {
  const bool quoted = needs_quotes(text);
  if (quoted) *at++ = '"';
  if (looks_like_formula(text)) *at++ = '\'';
  if (!quoted && is_plain(text)) return put_raw(at, text);
  while (!text.empty()) {
    const std::size_t bytes = text.front() == '\0' ? 0 : first_character_bytes(text);
    if (text.front() == '"') *at++ = '"';
    at = bytes == 0 ? put_byte(at, text.front()) : put_raw(at, text.substr(0, bytes));
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  if (quoted) *at++ = '"';
  return at;
}

}  // namespace ringside::exporting
