// Walks over JSON text that may end anywhere, as a piece of a large file does. Whatever meets the
// end of the piece says so, and is tried again from its begin with more bytes. Pure; borrows the
// text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::session {

enum class Scan : std::uint8_t {
  kOk,
  kMore,  ///< the piece ended first
  kBad,   ///< is no JSON
};

struct JsonScan {
  const char* at = nullptr;
  const char* end = nullptr;

  /// The next character that is no space; '\0': the piece ended.
  char peek();
  /// Takes this character.
  Scan take(char wanted);
  /// A string with its escapes, without its quotes.
  Scan string(std::string_view& text);
  /// Any value as it is written, strings with their quotes.
  Scan value(std::string_view& text);

 private:
  Scan nested(std::string_view& text);
};

/// A microsecond count as written, in ns; nothing where it is no number or beyond 140 years.
std::optional<std::int64_t> ns_of_us(std::string_view number);

/// A scanned string as it was meant.
std::string unescaped(std::string_view text);

}  // namespace ringside::session
