// Makes text from users, files and foreign programs safe to show on one line of a terminal, log or
// window. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside {

/// `text` as one line that cannot control the terminal. Control characters become \n, \t or \x1b,
/// Unicode marks that change the writing direction or break lines become \u202e, bytes that are not
/// UTF-8 become \xff. All other text is unchanged.
std::string printable_line(std::string_view text);

/// A TOML basic string, quotes included, that parses back to `text`.
std::string toml_string(std::string_view text);

/// Length in bytes of the first character of `text`, which must not be empty; 0 when it is not
/// well-formed UTF-8 (Unicode 15, table 3-7: no overlong encodings, no surrogates).
std::size_t first_character_bytes(std::string_view text);

/// True when all of `text` is well-formed UTF-8.
bool is_utf8(std::string_view text);

}  // namespace ringside
