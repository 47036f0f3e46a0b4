// Splits text tables as programs and people write them into rows, cells and numbers. Quoting
// follows RFC 4180 as in Python's csv: a quote counts only at the beginning of a cell. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::watch {

/// Separator of cells; kBlanks: any number of spaces and tabs.
inline constexpr char kBlanks = ' ';

/// The separator that is most frequent in a first line; ',' if there is none.
char separator_of(std::string_view line);

/// Size in bytes of the row at the front, including its line end; npos: the row is incomplete.
std::size_t row_bytes(std::string_view text, char separator);

void split_row(std::string_view row, char separator, std::vector<std::string>& cells);

/// The number in a cell, also inside of tensor(...), np.float64(...), [...] and before %, with a
/// decimal comma if cells are not separated by commas. Nothing: it is not a number.
std::optional<double> cell_number(std::string_view cell, char separator);
/// The number in a cell if it is an integer in the range of a step, also written as 12.0 (pandas)
/// or 12/100.
std::optional<std::int64_t> cell_step(std::string_view cell, char separator);
/// Whether the cell means a missing value: empty, None, null, - and the like.
bool is_blank(std::string_view cell);
/// Seconds since 1970, from a number of seconds or milliseconds, or from a date and time, which is
/// in this machine's time zone unless it names one. NaN for other numbers, such as seconds since
/// the start.
double cell_time(std::string_view cell);

/// Converts UTF-16 to UTF-8; the bytes must be whole units.
std::string from_utf16(std::string_view bytes, bool big_endian);
/// Converts Latin-1 to UTF-8.
std::string from_latin1(std::string_view bytes);

}  // namespace ringside::watch
