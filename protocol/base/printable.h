// Free text made safe for a line on a terminal, in a log or in a window: names and messages come
// from users, files and foreign programs. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside {

/// One line without effect on the terminal: control characters as \n, \t, \x1b, marks that turn the
/// direction of writing or break lines as \u202e, bytes that are not UTF-8 as \xff. Everything else
/// unchanged.
std::string printable_line(std::string_view text);

/// A basic string of TOML, quotes and all, that reads back as `text`.
std::string toml_string(std::string_view text);

/// Bytes of the first character of `text`, which is not empty; 0 where it is not well-formed UTF-8
/// (Unicode 15, table 3-7: nothing overlong, no surrogates).
std::size_t first_character_bytes(std::string_view text);

/// Well-formed UTF-8 from the first byte to the last.
bool is_utf8(std::string_view text);

}  // namespace ringside
