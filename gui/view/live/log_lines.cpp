// Converts the output of programs to readable lines.
#include <algorithm>
#include <array>

#include "gui/view/live/log_view.h"

namespace ringside::view {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Number of bytes of the well-formed UTF-8 character at `at`, or 0.
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
  // Rejects overlong forms, surrogates and values above U+10FFFF.
  if (first == 0xE0 && byte(at + 1) < 0xA0) return 0;
  if (first == 0xED && byte(at + 1) > 0x9F) return 0;
  if (first == 0xF0 && byte(at + 1) < 0x90) return 0;
  if (first == 0xF4 && byte(at + 1) > 0x8F) return 0;
  return length;
}

/// The tones for a terminal's eight colours.
Tone tone_of_color(int color) {
  constexpr std::array<Tone, 8> kTones{Tone::kDim,  Tone::kError,  Tone::kOk,   Tone::kWarning,
                                       Tone::kInfo, Tone::kAccent, Tone::kInfo, Tone::kHigh};
  return kTones[static_cast<std::size_t>(color & 7)];
}

/// Applies one parameter of "select graphic rendition".
void apply_rendition(int code, ColorSpan& color) {
  if (code == 0) color = {color.begin, Tone::kText, false};
  if (code == 1) color.strong = true;
  if (code == 2) color.tone = Tone::kDim;
  if (code == 22) color.strong = false;
  if (code == 39) color.tone = Tone::kText;
  if (code >= 30 && code <= 37) color.tone = tone_of_color(code - 30);
  if (code >= 90 && code <= 97) color.tone = code == 90 ? Tone::kDim : tone_of_color(code - 90);
}

void apply_renditions(std::string_view parameters, ColorSpan& color) {
  int code = 0;
  int skipped = 0;  // 38 and 48 are followed by a colour value, which is not supported
  for (std::size_t at = 0; at <= parameters.size(); ++at) {
    const char c = at < parameters.size() ? parameters[at] : ';';
    if (c >= '0' && c <= '9') {
      code = std::min(code * 10 + (c - '0'), 9999);
      continue;
    }
    if (skipped > 0) {
      --skipped;
      if (code == 5) skipped = 1;
      if (code == 2 && skipped == 0) skipped = 3;
    } else if (code == 38 || code == 48) {
      skipped = 1;
    } else {
      apply_rendition(code, color);
    }
    code = 0;
  }
}

/// The end of the escape sequence at `at` (ESC [ ... letter, ESC ] ... BEL, or ESC and one more
/// byte); a change of colour is stored in `color`.
std::size_t skip_escape(std::string_view text, std::size_t at, ColorSpan& color) {
  ++at;
  if (at >= text.size()) return at;
  if (text[at] == '[') {
    const std::size_t begin = ++at;
    for (; at < text.size(); ++at) {
      if (text[at] < '@' || text[at] > '~') continue;
      if (text[at] == 'm') apply_renditions(text.substr(begin, at - begin), color);
      return at + 1;
    }
    return at;
  }
  if (text[at] == ']') {
    while (at < text.size() && text[at] != '\a') ++at;
    return std::min(at + 1, text.size());
  }
  return at + 1;
}

void note_color(StyledLine& line, ColorSpan color) {
  const ColorSpan before = line.color.empty() ? ColorSpan{} : line.color.back();
  if (before.tone == color.tone && before.strong == color.strong) return;
  color.begin = line.text.size();
  if (!line.color.empty() && line.color.back().begin == color.begin) {
    line.color.back() = color;
  } else {
    line.color.push_back(color);
  }
}

StyledLine clean(std::string_view raw) {
  // A progress bar rewrites its line after '\r': only the last text remains.
  while (raw.ends_with('\r')) raw.remove_suffix(1);
  if (const std::size_t rewrite = raw.rfind('\r'); rewrite != std::string_view::npos)
    raw.remove_prefix(rewrite + 1);
  StyledLine line;
  ColorSpan color;
  for (std::size_t at = 0; at < raw.size();) {
    const auto byte = static_cast<unsigned char>(raw[at]);
    if (byte == 0x1B) {
      at = skip_escape(raw, at, color);
      continue;
    }
    if (byte >= 0x20 || byte == '\t') note_color(line, color);
    if (byte == '\t') {
      line.text += "    ";
      ++at;
    } else if (byte < 0x20 || byte == 0x7F) {
      ++at;
    } else if (const std::size_t length = utf8_length(raw, at); length > 0) {
      line.text.append(raw.substr(at, length));
      at += length;
    } else {
      line.text += kReplacement;
      ++at;
    }
  }
  return line;
}

}  // namespace

std::vector<StyledLine> styled_lines(std::string_view bytes, bool begins_inside_line,
                                     std::size_t most) {
  const std::size_t all = bytes.size();
  if (begins_inside_line) {
    const std::size_t first_end = bytes.find('\n');
    bytes.remove_prefix(first_end == std::string_view::npos ? bytes.size() : first_end + 1);
  }
  const std::size_t left_out = all - bytes.size();
  std::vector<StyledLine> lines;
  // Lines are read from the end, since only the newest are kept.
  if (bytes.ends_with('\n')) bytes.remove_suffix(1);
  bool more = !bytes.empty();
  while (more && lines.size() < most) {
    const std::size_t before = bytes.rfind('\n');
    more = before != std::string_view::npos;
    lines.push_back(clean(more ? bytes.substr(before + 1) : bytes));
    lines.back().end = left_out + bytes.size();
    if (more) bytes = bytes.substr(0, before);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

std::int64_t seen_wall_ns(const RankText& text, std::uint64_t end) {
  const auto bytes = [&text](const runlog::OutputMark& mark) {
    return text.is_error_stream ? mark.stderr_bytes : mark.stdout_bytes;
  };
  const auto mark = std::lower_bound(
      text.marks.begin(), text.marks.end(), end,
      [&](const runlog::OutputMark& one, std::uint64_t wanted) { return bytes(one) < wanted; });
  return mark == text.marks.end() ? 0 : mark->wall_ns;
}

std::vector<std::string> clean_lines(std::string_view bytes, bool begins_inside_line,
                                     std::size_t most) {
  std::vector<std::string> texts;
  for (StyledLine& line : styled_lines(bytes, begins_inside_line, most))
    texts.push_back(std::move(line.text));
  return texts;
}

messages::Severity LevelGuess::of(std::string_view line) {
  using messages::Severity;
  constexpr std::size_t kLooked = 240;  // the level is near the beginning
  std::array<char, kLooked> lower{};
  const std::string_view begin = line.substr(0, kLooked);
  std::ranges::transform(begin, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const std::string_view head(lower.data(), begin.size());
  const auto has = [head](std::string_view word) { return head.find(word) != head.npos; };
  if (has("traceback")) {
    in_traceback_ = true;
    return Severity::kError;
  }
  if (in_traceback_) {
    // The frames are indented; the line after them names the exception.
    in_traceback_ = head.empty() || head.front() == ' ';
    return Severity::kError;
  }
  for (const char* word :
       {"error", "exception", "fatal", "critical", "panic", "terminate called"}) {
    if (has(word)) return Severity::kError;
  }
  return has("warn") ? Severity::kWarning : Severity::kInfo;
}

}  // namespace ringside::view
