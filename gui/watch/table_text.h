// Tables in text as programs and people write them, row by row: rows, cells and numbers. Quoting is
// that of RFC 4180, as Python's csv reads it: a quote counts where a cell begins. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::watch {

/// What stands between cells; kBlanks: any number of spaces and tabs.
inline constexpr char kBlanks = ' ';

/// The one that a first line has most of; ',' where it has none at all.
char separator_of(std::string_view line);

/// Bytes of the row at the front, its line end included; npos: it has not ended.
std::size_t row_bytes(std::string_view text, char separator);

/// Splits a row into cells without the blanks around them.
void split_row(std::string_view row, char separator, std::vector<std::string>& cells);

/// A number as a cell has it: also in tensor(...), np.float64(...), [...] and before %, with a
/// decimal comma where cells are not separated by commas. Nothing: it is not a number.
std::optional<double> cell_number(std::string_view cell, char separator);
/// The number of a cell where it is whole and fits a step, which pandas may have written as 12.0,
/// and others as 12/100.
std::optional<std::int64_t> cell_step(std::string_view cell, char separator);
/// What programs write for a value that is not there: nothing, None, null, - and the like.
bool is_blank(std::string_view cell);
/// Seconds since 1970 of a number of seconds or milliseconds, or of a date and time, which is of
/// this machine's zone unless it names one; other numbers, such as seconds since the start, are no
/// time of day, and give NaN.
double cell_time(std::string_view cell);

/// UTF-8 of UTF-16, whose bytes are of whole units.
std::string from_utf16(std::string_view bytes, bool big_endian);
/// UTF-8 of Latin-1.
std::string from_latin1(std::string_view bytes);

}  // namespace ringside::watch
