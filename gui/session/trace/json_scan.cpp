#include "gui/session/trace/json_scan.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "protocol/base/printable.h"

namespace ringside::session {
namespace {

/// Times up to the year 2043, as some writers count from 1970; the sum of a begin and a duration,
/// and the distance of two such sums, cannot overflow.
constexpr std::int64_t kMostNs = std::int64_t{1} << 61;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool ends_word(char c) { return is_space(c) || c == ',' || c == '}' || c == ']' || c == ':'; }

/// Returns the closing quote of the string whose text starts at `at`; null: the piece ended first.
const char* closing_quote(const char* at, const char* end) {
  while (at < end) {
    const void* const found = std::memchr(at, '"', static_cast<std::size_t>(end - at));
    if (found == nullptr) return nullptr;
    const char* const quote = static_cast<const char*>(found);
    const char* back = quote;
    while (back > at && back[-1] == '\\') --back;
    if ((quote - back) % 2 == 0) return quote;
    at = quote + 1;
  }
  return nullptr;
}

}  // namespace

char JsonScan::peek() {
  while (at < end && is_space(*at)) ++at;
  return at < end ? *at : '\0';
}

void JsonScan::skip_byte_order_mark() {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (std::string_view(at, static_cast<std::size_t>(end - at)).starts_with(kMark))
    at += kMark.size();
}

Scan JsonScan::take(char wanted) {
  const char next = peek();
  if (next == '\0' && at == end) return Scan::kMore;
  if (next != wanted) return Scan::kBad;
  ++at;
  return Scan::kOk;
}

Scan JsonScan::string(std::string_view& text) {
  if (const Scan begun = take('"'); begun != Scan::kOk) return begun;
  const char* const quote = closing_quote(at, end);
  if (quote == nullptr) return Scan::kMore;
  text = {at, static_cast<std::size_t>(quote - at)};
  at = quote + 1;
  return Scan::kOk;
}

Scan JsonScan::nested(std::string_view& text) {
  const char* const begin = at;
  int depth = 0;
  while (at < end) {
    const char c = *at++;
    if (c == '"') {
      const char* const quote = closing_quote(at, end);
      if (quote == nullptr) return Scan::kMore;
      at = quote + 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      text = {begin, static_cast<std::size_t>(at - begin)};
      return Scan::kOk;
    }
  }
  return Scan::kMore;
}

Scan JsonScan::value(std::string_view& text) {
  const char first = peek();
  if (at == end) return Scan::kMore;
  if (first == '{' || first == '[') return nested(text);
  const char* const begin = at;
  if (first == '"') {
    const Scan read = string(text);
    if (read == Scan::kOk) text = {begin, static_cast<std::size_t>(at - begin)};
    return read;
  }
  while (at < end && !ends_word(*at)) ++at;
  if (at == end) return Scan::kMore;
  text = {begin, static_cast<std::size_t>(at - begin)};
  return text.empty() ? Scan::kBad : Scan::kOk;
}

std::optional<std::int64_t> ns_of_us(std::string_view number) {
  const bool minus = number.starts_with('-');
  std::string_view rest = number.substr(minus ? 1 : 0);
  std::int64_t us = 0;
  const auto whole = std::from_chars(rest.data(), rest.data() + rest.size(), us);
  if (whole.ec != std::errc() || us < 0 || us > kMostNs / 1000) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(whole.ptr - rest.data()));
  std::int64_t ns = us * 1000;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    std::int64_t digits = 0;
    for (std::int64_t unit = 1000; !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; unit /= 10) {
      digits += (rest[0] - '0') * unit;
      rest.remove_prefix(1);
    }
    ns += (digits + 5) / 10;  // rounded to the nearest
  }
  if (rest.empty()) return minus ? -ns : ns;
  // Some writers use an exponent for large times.
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end ||
      !(std::abs(value) < 1e-3 * static_cast<double>(kMostNs)))
    return std::nullopt;
  return static_cast<std::int64_t>(std::llround(value * 1e3));
}

std::string unescaped(std::string_view text) {
  std::string meant(text);
  if (text.find('\\') != std::string_view::npos) {
    const auto read = nlohmann::json::parse("\"" + meant + "\"", nullptr, false);
    if (read.is_string()) meant = read.get<std::string>();
  }
  return printable_line(meant);
}

}  // namespace ringside::session
