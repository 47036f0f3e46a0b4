// From the bytes that programs write to lines a person can read.
#include <algorithm>

#include "gui/view/log_view.h"

namespace ringside::view {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Bytes of the well-formed UTF-8 character at `at`, or 0.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  std::size_t length = 0;
  if (first < 0x80) length = 1;
  if (first >= 0xC2 && first < 0xE0) length = 2;
  if (first >= 0xE0 && first < 0xF0) length = 3;
  if (first >= 0xF0 && first < 0xF5) length = 4;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond Unicode.
  if (first == 0xE0 && byte(at + 1) < 0xA0) return 0;
  if (first == 0xED && byte(at + 1) > 0x9F) return 0;
  if (first == 0xF0 && byte(at + 1) < 0x90) return 0;
  if (first == 0xF4 && byte(at + 1) > 0x8F) return 0;
  return length;
}

/// End of the escape sequence that begins at `at` (ESC [ ... letter, ESC ] ... BEL, or ESC and one
/// more).
std::size_t skip_escape(std::string_view text, std::size_t at) {
  ++at;
  if (at >= text.size()) return at;
  if (text[at] == '[') {
    for (++at; at < text.size(); ++at) {
      if (text[at] >= '@' && text[at] <= '~') return at + 1;
    }
    return at;
  }
  if (text[at] == ']') {
    while (at < text.size() && text[at] != '\a') ++at;
    return std::min(at + 1, text.size());
  }
  return at + 1;
}

std::string clean(std::string_view raw) {
  // A progress bar rewrites its line with '\r': what was written last stands.
  while (raw.ends_with('\r')) raw.remove_suffix(1);
  if (const std::size_t rewrite = raw.rfind('\r'); rewrite != std::string_view::npos)
    raw.remove_prefix(rewrite + 1);
  std::string line;
  for (std::size_t at = 0; at < raw.size();) {
    const auto byte = static_cast<unsigned char>(raw[at]);
    if (byte == 0x1B) {
      at = skip_escape(raw, at);
    } else if (byte == '\t') {
      line += "    ";
      ++at;
    } else if (byte < 0x20 || byte == 0x7F) {
      ++at;
    } else if (const std::size_t length = utf8_length(raw, at); length > 0) {
      line.append(raw.substr(at, length));
      at += length;
    } else {
      line += kReplacement;
      ++at;
    }
  }
  return line;
}

}  // namespace

std::vector<std::string> clean_lines(std::string_view bytes, bool begins_inside_line,
                                     std::size_t most) {
  if (begins_inside_line) {
    const std::size_t first_end = bytes.find('\n');
    bytes.remove_prefix(first_end == std::string_view::npos ? bytes.size() : first_end + 1);
  }
  std::vector<std::string> lines;
  // From the end, since only the newest are kept.
  if (bytes.ends_with('\n')) bytes.remove_suffix(1);
  bool more = !bytes.empty();
  while (more && lines.size() < most) {
    const std::size_t before = bytes.rfind('\n');
    more = before != std::string_view::npos;
    lines.push_back(clean(more ? bytes.substr(before + 1) : bytes));
    if (more) bytes = bytes.substr(0, before);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace ringside::view
