// Cells of a CSV file: shortest exact numbers, RFC 4180 quoting, and text that no spreadsheet takes
// for a formula. Pure functions that write into memory which the caller has sized with the bounds
// below; any thread.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ringside::exporting {

/// Room for any number: the longest double is 24 characters, the longest 64-bit integer 20.
inline constexpr std::size_t kNumberRoom = 32;

/// Room for a text cell: every byte as \xff, two quotes, one apostrophe.
inline std::size_t text_room(std::string_view text) { return 4 * text.size() + 3; }

inline char* put_raw(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

template <std::integral T>
char* put_number(char* at, T value) {
  return std::to_chars(at, at + kNumberRoom, value).ptr;
}

/// The shortest digits that read back to the same bits, as in JSON and Python; NaN is `nan`
/// whatever its sign and payload, infinities are `inf` and `-inf`, as pandas and DuckDB read them.
template <std::floating_point T>
char* put_number(char* at, T value) {
  if (std::isnan(value)) return put_raw(at, "nan");
  return std::to_chars(at, at + kNumberRoom, value).ptr;
}

/// Caches the text of the last number in a column, since learning rates and scales repeat for
/// thousands of rows.
template <std::floating_point T>
class NumberMemo {
 public:
  char* put(char* at, T value) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const std::uint64_t bits = std::bit_cast<Bits>(value);
    if (bits != bits_ || size_ == 0) {
      bits_ = bits;
      size_ = static_cast<std::size_t>(put_number(text_.data(), value) - text_.data());
    }
    std::memcpy(at, text_.data(), kNumberRoom);
    return at + size_;
  }

 private:
  std::uint64_t bits_ = 0;
  std::size_t size_ = 0;
  std::array<char, kNumberRoom> text_{};
};

/// Writes a text cell, always valid UTF-8: other bytes, and NUL, are written as \xff. Text that
/// begins with tab, carriage return or, after spaces and line ends, with = + - @ gets a leading
/// apostrophe (CWE-1236); text with a comma, a quote, a line end or an outer space is quoted.
char* put_text(char* at, std::string_view text);

}  // namespace ringside::exporting
