// Small text functions: trim, lines, split, lists, whole numbers, ASCII lower case. Bytes outside
// ASCII are unchanged. Pure; any thread.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ringside {

/// `text` without leading and trailing blanks and line ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// The last line that is not blank, trimmed.
inline std::string_view last_line(std::string_view text) {
  text = trimmed(text);
  return trimmed(text.substr(text.rfind('\n') + 1));  // npos + 1 is 0
}

/// The parts between separators, empty ones included; an empty text has no parts.
inline std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The lines without their line ends; the last line may have none.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  if (text.empty()) return {};
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text.empty() ? std::vector<std::string_view>(1) : parts_of(text, '\n');
}

/// The number if all of `text` is one: digits with an optional minus sign; otherwise empty.
template <class Number = std::int64_t>
std::optional<Number> whole_number(std::string_view text, int base = 10) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, base);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

/// Appends a word to a comma-separated list.
inline void add_listed(std::string& list, std::string_view word) {
  if (!list.empty()) list += ", ";
  list += word;
}

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace ringside
