#include "gui/watch/table_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <limits>

#include "protocol/base/text.h"

namespace ringside::watch {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<double> plain_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc()) return value;
  // Numbers out of the range of a double become infinite, or nothing.
  return error == std::errc::result_out_of_range
             ? std::optional(std::strtod(std::string(text).c_str(), nullptr))
             : std::nullopt;
}

/// Whether the text is like "1,234,567.5".
bool has_thousands(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::string_view whole = text.substr(0, text.find('.'));
  const std::size_t first = whole.find(',');
  if (first == 0 || first > 3 || whole.size() <= first) return false;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool comma = i >= first && (i - first) % 4 == 0;
    if (comma != (whole[i] == ',') || (!comma && !is_digit(whole[i]))) return false;
  }
  return (whole.size() - first) % 4 == 0;
}

std::optional<double> number_with_commas(std::string_view text, char separator) {
  std::string plain;
  if (separator == ',' && has_thousands(text)) {
    std::copy_if(text.begin(), text.end(), std::back_inserter(plain),
                 [](char c) { return c != ','; });
  } else if (std::ranges::count(text, ',') == 1) {
    const std::size_t comma = text.find(',');
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '.' && i < comma) continue;
      plain += i == comma ? '.' : text[i];
    }
  }
  return plain_number(plain);
}

/// The text inside of tensor(0.53, device='cuda:0'), np.float64(0.5), [0.5] and (0.5,).
std::string_view unwrapped(std::string_view text) {
  const std::size_t open = text.find_first_of("([");
  if (open == text.npos || (!text.ends_with(')') && !text.ends_with(']'))) return text;
  constexpr std::array<std::string_view, 10> kWraps = {
      "",           "tensor",   "array",    "np.float64", "np.float32",
      "np.float16", "np.int64", "np.int32", "np.array",   "Array"};
  if (std::ranges::find(kWraps, text.substr(0, open)) == kWraps.end()) return text;
  std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  const std::size_t comma = inside.find(',');
  if (comma != inside.npos) {
    // The text after the comma names a device or type, and is not a second number.
    const std::string_view more = trimmed(inside.substr(comma + 1));
    if (!more.empty() && more.find('=') == more.npos) return text;
    inside = inside.substr(0, comma);
  }
  return unwrapped(trimmed(inside));
}

/// Takes this many digits off the front; -1: there are fewer.
int take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (!is_digit(c)) return -1;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take_one_of(std::string_view& text, std::string_view wanted) {
  if (text.empty() || wanted.find(text.front()) == wanted.npos) return false;
  text.remove_prefix(1);
  return true;
}

/// Removes a time zone, "Z", "+02:00" or "+0200", and applies it to `seconds`; false: it is not
/// one.
bool take_zone(std::string_view text, double& seconds) {
  if (text == "Z" || text == " UTC" || text == "+00:00") return true;
  const int sign = text.starts_with('-') ? -1 : 1;
  if (!take_one_of(text, "+-")) return false;
  const int hours = take_digits(text, 2);
  (void)take_one_of(text, ":");
  const int minutes = take_digits(text, 2);
  seconds -= sign * (hours * 3600.0 + minutes * 60.0);
  return hours >= 0 && minutes >= 0 && text.empty();
}

/// Seconds of "2024-10-20 15:37:20.25", also with T for the space, "/" for "-" and a time zone.
double date_seconds(std::string_view text) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::tm parts{};
  parts.tm_year = take_digits(text, 4) - 1900;
  if (parts.tm_year < 0 || !take_one_of(text, "-/")) return kNone;
  parts.tm_mon = take_digits(text, 2) - 1;
  if (parts.tm_mon < 0 || parts.tm_mon > 11 || !take_one_of(text, "-/")) return kNone;
  parts.tm_mday = take_digits(text, 2);
  if (parts.tm_mday < 1 || parts.tm_mday > 31 || !take_one_of(text, " T_")) return kNone;
  parts.tm_hour = take_digits(text, 2);
  if (parts.tm_hour < 0 || !take_one_of(text, ":-")) return kNone;
  parts.tm_min = take_digits(text, 2);
  if (parts.tm_min < 0) return kNone;
  double fraction = 0;
  if (take_one_of(text, ":-")) {
    parts.tm_sec = take_digits(text, 2);
    if (parts.tm_sec < 0) return kNone;
    if (take_one_of(text, ".,")) {
      double place = 0.1;
      for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), place /= 10)
        fraction += place * (text.front() - '0');
    }
  }
  parts.tm_isdst = -1;
  if (text.empty()) return static_cast<double>(::mktime(&parts)) + fraction;
  parts.tm_isdst = 0;
  double seconds = static_cast<double>(::timegm(&parts)) + fraction;
  return take_zone(text, seconds) ? seconds : kNone;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto part = [&](std::uint32_t first, unsigned shift) {
    text += static_cast<char>(first | (code >> shift & 0x3FU));
  };
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  if (code < 0x800) {
    text += static_cast<char>(0xC0U | code >> 6U);
  } else {
    if (code < 0x10000) {
      text += static_cast<char>(0xE0U | code >> 12U);
    } else {
      text += static_cast<char>(0xF0U | code >> 18U);
      part(0x80, 12);
    }
    part(0x80, 6);
  }
  part(0x80, 0);
}

}  // namespace

char separator_of(std::string_view line) {
  constexpr std::string_view kSeparators = "\t;,|";
  std::array<int, kSeparators.size()> counts{};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    const std::size_t place = quoted ? kSeparators.npos : kSeparators.find(c);
    if (place != kSeparators.npos) ++counts[place];
  }
  const auto* const most = std::ranges::max_element(counts);
  if (*most > 0) return kSeparators[static_cast<std::size_t>(most - counts.begin())];
  return trimmed(line).find(' ') == line.npos || line.find('"') != line.npos ? ',' : kBlanks;
}

std::size_t row_bytes(std::string_view text, char separator) {
  bool quoted = false;
  bool begins = true;   // at the beginning of a cell
  bool closed = false;  // a quote was just closed; another one would be a quote in the cell
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      closed = c == '"';
      quoted = !closed;
      continue;
    }
    if (c == '\n') return i + 1;
    // Very old Macs ended lines with \r alone.
    if (c == '\r' && i + 1 < text.size() && text[i + 1] != '\n') return i + 1;
    quoted = c == '"' && (begins || closed);
    closed = false;
    begins = c == separator || (begins && (c == ' ' || c == '\t'));
  }
  return std::string_view::npos;
}

void split_row(std::string_view row, char separator, std::vector<std::string>& cells) {
  cells.clear();
  std::string cell;
  bool quoted = false;
  row = separator == kBlanks ? trimmed(row) : row.substr(0, row.find_last_not_of("\r\n") + 1);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const char c = row[i];
    const bool blank = c == ' ' || c == '\t';
    if (quoted && c == '"' && i + 1 < row.size() && row[i + 1] == '"') {
      cell += row[++i];
    } else if (quoted ? c == '"' : c == '"' && trimmed(cell).empty()) {
      quoted = !quoted;
    } else if (!quoted && separator == kBlanks && blank) {
      if (i > 0 && (row[i - 1] == ' ' || row[i - 1] == '\t')) continue;
      cells.push_back(std::move(cell));
      cell.clear();
    } else if (!quoted && c == separator) {
      cells.emplace_back(trimmed(cell));
      cell.clear();
    } else {
      cell += c;
    }
  }
  cells.emplace_back(trimmed(cell));
}

std::optional<double> cell_number(std::string_view cell, char separator) {
  if (cell.empty()) return std::nullopt;
  if (const auto value = plain_number(cell)) return value;
  if (const std::string_view inside = unwrapped(cell); inside.size() < cell.size())
    return cell_number(inside, separator);
  if (cell.ends_with('%')) return cell_number(trimmed(cell.substr(0, cell.size() - 1)), separator);
  return cell.find(',') == cell.npos ? std::nullopt : number_with_commas(cell, separator);
}

std::optional<std::int64_t> cell_step(std::string_view cell, char separator) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  std::int64_t step = 0;
  const char* const whole = cell.data() + cell.size();
  const auto [end, error] = std::from_chars(cell.data(), whole, step);
  if (error == std::errc() && end == whole) return step;
  // The text is "3/10", as progress is written.
  if (error == std::errc() && *end == '/') {
    std::int64_t total = 0;
    const auto read = std::from_chars(end + 1, whole, total);
    if (read.ec == std::errc() && read.ptr == whole && step <= total) return step;
  }
  const auto value = cell_number(cell, separator);
  constexpr double kMost = 9.2233720368547758e18;  // 2^63
  if (!value || !(*value >= -kMost && *value < kMost) || *value != std::floor(*value))
    return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

bool is_blank(std::string_view cell) {
  constexpr std::array<std::string_view, 8> kNothing = {"",   "-",   "--",   "none",
                                                        "na", "n/a", "null", "<na>"};
  return cell.size() <= 4 && std::ranges::find(kNothing, lower_case(cell)) != kNothing.end();
}

double cell_time(std::string_view cell) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto value = plain_number(cell);
  if (!value) return date_seconds(cell);
  if (*value > 1e8 && *value < 1e10) return *value;
  return *value > 1e11 && *value < 1e13 ? *value / 1000 : kNone;
}

std::string from_utf16(std::string_view bytes, bool big_endian) {
  const auto unit = [&](std::size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]);
    const auto b = static_cast<unsigned char>(bytes[i + 1]);
    return std::uint32_t{big_endian ? a : b} << 8U | std::uint32_t{big_endian ? b : a};
  };
  std::string text;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t code = unit(i);
    const bool pair = code >= 0xD800 && code < 0xDC00 && i + 3 < bytes.size() &&
                      unit(i + 2) >= 0xDC00 && unit(i + 2) < 0xE000;
    if (pair) {
      code = 0x10000 + ((code - 0xD800) << 10U) + (unit(i + 2) - 0xDC00);
      i += 2;
    } else if (code >= 0xD800 && code < 0xE000) {
      code = 0xFFFD;  // an unpaired surrogate
    }
    append_utf8(text, code);
  }
  return text;
}

std::string from_latin1(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) append_utf8(text, static_cast<unsigned char>(c));
  return text;
}

}  // namespace ringside::watch
