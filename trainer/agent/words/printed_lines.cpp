#include "trainer/agent/words/printed_lines.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <span>

#include "protocol/base/text.h"

namespace ringside::agent {
namespace {

constexpr std::size_t kLongestSaidLine = 4096;  ///< bytes of a line that are examined

using Texts = std::span<const std::string_view>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool begins_with_any(std::string_view text, Texts words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.starts_with(word); });
}

bool holds_any(std::string_view text, Texts words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != text.npos; });
}

// The index after the terminal escape sequence that begins at `at`: CSI up to its letter, OSC up to
// its bell or string terminator, others of two characters.
std::size_t behind_escape(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return text.size();
  const char kind = text[at + 1];
  if (kind == '[') {
    std::size_t end = at + 2;
    while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
    return std::min(end + 1, text.size());
  }
  if (kind != ']') return at + 2;
  const std::size_t end = text.find_first_of("\a\x1b", at + 2);
  if (end == text.npos) return text.size();
  return text[end] == '\a' ? end + 1 : std::min(end + 2, text.size());
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\x1b') {
      at = behind_escape(text, at);
    } else {
      plain += text[at++];
    }
  }
  return plain;
}

// Removes the prefix of a launcher: "[rank0]: " of torch, "[default1]:" of torchrun,
// "[1,0]<stderr>:" of MPI, "(Worker pid=7) " of Ray.
std::string_view without_mark(std::string_view line) {
  if (line.starts_with('(')) {
    const std::size_t end = line.find(") ");
    const std::size_t pid = line.find("pid=");
    if (end != line.npos && pid < end && (line[pid - 1] == '(' || line[pid - 1] == ' '))
      line.remove_prefix(end + 2);
  }
  static constexpr std::array<std::string_view, 3> kMarks = {"[rank", "[default", "[1,"};
  for (const std::string_view mark : kMarks) {
    if (!line.starts_with(mark)) continue;
    std::size_t at = mark.size();
    while (at < line.size() && is_digit(line[at])) ++at;
    if (at == mark.size() || at >= line.size() || line[at] != ']') continue;
    line.remove_prefix(at + 1);
    for (const std::string_view end : {"<stderr>:", "<stdout>:", ":"}) {
      if (!line.starts_with(end)) continue;
      line.remove_prefix(end.size());
      break;
    }
    if (line.starts_with(' ')) line.remove_prefix(1);
  }
  return line;
}

// Removes all progress bars: "12%|#    | 3/25 [00:01<00:09, 2.4it/s]" and "123it [00:02,
// 60.1it/s]".
std::string_view without_bars(std::string_view line) {
  if (line.starts_with("    ")) return line;  // source line in a traceback
  for (;;) {
    const std::size_t bar = line.find("%|");
    if (bar != line.npos) {
      const std::size_t times = line.find('[', bar);
      const std::size_t end = times == line.npos ? line.npos : line.find(']', times);
      line.remove_prefix(end == line.npos ? line.size() : end + 1);
      continue;
    }
    const std::size_t end = std::min(line.find("it/s]"), line.find("s/it]"));
    if (end == line.npos) return line;
    line.remove_prefix(end + 5);
  }
}

std::string_view last_overwritten(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const std::size_t again = line.rfind('\r');
  return again == line.npos ? line : line.substr(again + 1);
}

std::string said_line(std::string_view raw) {
  const std::string plain = without_escapes(last_overwritten(raw).substr(0, kLongestSaidLine));
  const std::string_view marked = without_mark(plain);
  const std::string_view told = without_bars(marked);
  const bool bar = told.size() < marked.size();
  static constexpr std::array<std::string_view, 2> kDrawn = {"━━━", "##########"};
  if (holds_any(told, kDrawn) && told.find('%') != told.npos) return {};
  std::string line(bar ? trimmed(told) : told);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.pop_back();
  return line;
}

// "W1127 10:11:12", with or without a bracket before it: glog and torch's loggers.
bool is_glog(std::string_view line, std::string_view levels) {
  if (line.starts_with('[')) line.remove_prefix(1);
  return line.size() > 6 && levels.find(line[0]) != levels.npos &&
         std::all_of(line.begin() + 1, line.begin() + 5, is_digit) && line[5] == ' ';
}

// Whether `word` is among the first sixty characters as a word in capitals, where loggers put their
// level.
bool has_level(std::string_view line, std::string_view word) {
  line = line.substr(0, 60);
  for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const auto letter = [&](std::size_t i) {
      return line[i] == '_' || std::isalnum(static_cast<unsigned char>(line[i])) != 0;
    };
    if ((at == 0 || !letter(at - 1)) && (end >= line.size() || !letter(end))) return true;
  }
  return false;
}

// True for "ValueError: ..." and "train.py: error: ..."; false for "the training error: 0.3".
bool names_error(std::string_view line) {
  for (const std::string_view word : {"rror: ", "xception: "}) {
    std::size_t begin = line.find(word);
    if (begin == line.npos) continue;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(line[begin - 1])) != 0 ||
                         line[begin - 1] == '_' || line[begin - 1] == '.'))
      --begin;
    const std::string_view before = trimmed(line.substr(0, begin));
    if (before.empty() || std::string_view(":]|-").find(before.back()) != line.npos) return true;
  }
  return false;
}

// "file.py:12: UserWarning: ...", "sys:1: ResourceWarning: ...".
bool is_python_warning(std::string_view line) {
  const std::size_t word = line.find("Warning: ");
  if (word == line.npos) return false;
  const std::size_t colon = line.rfind(": ", word);
  return word == 0 || (colon != line.npos && colon > 0 && is_digit(line[colon - 1]));
}

}  // namespace

bool is_indented(std::string_view line) { return line.starts_with(' ') || line.starts_with('\t'); }

std::string_view without_sides(std::string_view line) {
  constexpr std::string_view kSide = "│";
  line = trimmed(line);
  if (!line.starts_with(kSide)) return line;
  line.remove_prefix(kSide.size());
  if (line.ends_with(kSide)) line.remove_suffix(kSide.size());
  return trimmed(line);
}

std::vector<std::string> printed_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(said_line(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_logged_error(std::string_view line) {
  static constexpr std::array<std::string_view, 3> kLevels = {"ERROR", "FATAL", "CRITICAL"};
  line = trimmed(line);
  return is_glog(line, "EF") ||
         std::any_of(kLevels.begin(), kLevels.end(),
                     [&](std::string_view level) { return has_level(line, level); });
}

bool is_error_line(std::string_view line) {
  static constexpr std::array<std::string_view, 5> kForms = {
      "atal error", "panicked at", "Assertion `", "core dumped", "SUMMARY: "};
  line = trimmed(line);
  return holds_any(line, kForms) || names_error(line) || is_logged_error(line);
}

bool tells_end(std::string_view line) {
  static constexpr std::array<std::string_view, 5> kForms = {
      "core dumped)", "exits with return code", "CANCELLED AT", "conda.cli.main_run",
      "exited with non-zero status"};
  line = trimmed(line);
  return holds_any(line, kForms) || line == "Aborted" ||
         (line.starts_with("make") && line.find("] Error ") != line.npos);
}

bool tells_trouble(std::string_view line) {
  static constexpr std::array<std::string_view, 28> kWords = {
      "cannot",      "can't",         "could not",     "couldn't",    "unable to", "no such",
      "not found",   "invalid",       "missing",       "not exist",   "failed",    "failure",
      "fatal",       "abort",         "exception",     "killed",      "traceback", "out of memory",
      "refused",     "denied",        "corrupt",       "unsupported", "errno",     "error in",
      "error while", "error loading", "error opening", "double free"};
  const std::string lower = lower_case(line);
  return holds_any(lower, kWords) || has_level(lower, "nan");
}

bool is_idle_line(std::string_view line) {
  static constexpr std::array<std::string_view, 6> kLevels = {"INFO", "DEBUG", "WARNING",
                                                              "WARN", "TRACE", "NOTICE"};
  static constexpr std::array<std::string_view, 9> kBegins = {
      "wandb:",          "Exception ignored", "Exception in thread",
      "Error in atexit", "warnings.warn",     "Error in sys.",
      "Process Spawn",   "Process Fork",      "-- Process "};
  line = trimmed(line);
  if (std::none_of(line.begin(), line.end(),
                   [](unsigned char c) { return std::isalnum(c) != 0 || c >= 0x80; }))
    return true;
  if (line.starts_with("╭─") || line.starts_with("╰─")) return true;
  if (has_level(line, "ERROR") || has_level(line, "FATAL")) return false;
  return is_glog(line, "WIDV") || is_python_warning(line) || begins_with_any(line, kBegins) ||
         lower_case(line.substr(0, 8)) == "warning:" ||
         std::any_of(kLevels.begin(), kLevels.end(),
                     [&](std::string_view level) { return has_level(line, level); });
}

bool is_advice(std::string_view sentence) {
  static constexpr std::array<std::string_view, 36> kBegins = {
      "for debugging", "for simplicity, jax",
      "compile with",  "in addition, you",
      "you can",       "you may",
      "you might",     "you should",
      "you must",      "if you",
      "if this",       "if reserved",
      "if the",        "please",
      "consider ",     "try ",
      "hint",          "note:",
      "note that",     "tip:",
      "to suppress",   "to fix",
      "to enable",     "to debug",
      "to execute",    "to append",
      "see ",          "set ",
      "make sure",     "refer to",
      "run with",      "use ",
      "did you mean",  "for more",
      "search for",    "cuda kernel errors might be"};
  return begins_with_any(lower_case(trimmed(sentence)), kBegins);
}

}  // namespace ringside::agent
