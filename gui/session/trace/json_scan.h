// Scans JSON text that may end anywhere, such as a piece of a large file. A scan that reaches the
// end of the piece reports that, and is repeated from its start with more bytes. Pure; borrows the
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
  kBad,   ///< the text is not JSON
};

struct JsonScan {
  const char* at = nullptr;
  const char* end = nullptr;

  /// Returns the next character that is not a space; '\0': the piece ended.
  char peek();
  /// Skips the mark that some programs of Windows put before UTF-8 text.
  void skip_byte_order_mark();
  Scan take(char wanted);
  /// Scans a string, with its escapes and without its quotes.
  Scan string(std::string_view& text);
  /// Scans any value as written, strings with their quotes.
  Scan value(std::string_view& text);

 private:
  Scan nested(std::string_view& text);
};

/// Converts a decimal number of us to ns; nothing if it is not a number or exceeds 73 years.
std::optional<std::int64_t> ns_of_us(std::string_view number);

/// Replaces the escapes of a scanned string.
std::string unescaped(std::string_view text);

}  // namespace ringside::session
