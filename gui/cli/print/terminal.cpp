#include "gui/cli/print/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "gui/view/short_number.h"
#include "protocol/base/exit_code.h"
#include "protocol/base/printable.h"
#include "protocol/base/shell_word.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::cli {
namespace {

int output_error = 0;  // errno of the first failed write

const char* sequence(view::Tone tone) {
  // The order is that of view::Tone: text, high, dim, faint, accent, ok, warning, error, info.
  constexpr const char* kSequences[] = {"",         "\x1b[1m",  "\x1b[2m",  "\x1b[2m", "\x1b[35m",
                                        "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[36m"};
  static_assert(std::size(kSequences) == static_cast<std::size_t>(view::Tone::kInfo) + 1);
  return kSequences[static_cast<std::size_t>(tone)];
}

// Length in bytes of the color sequence at the front of `text`; 0: none.
std::size_t escape_bytes(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const auto end = text.find('m');
  return end == text.npos ? 0 : end + 1;
}

/// Zeros if the size is unknown.
winsize size_of(std::FILE* stream) {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0) size = {};
  return size;
}

}  // namespace

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

bool wants_color(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  return is_terminal(stream) && (no_color == nullptr || *no_color == '\0');
}

int columns_of(std::FILE* stream) {
  const int columns = size_of(stream).ws_col;
  return columns == 0 ? 80 : columns;
}

int rows_of(std::FILE* stream) {
  const int rows = size_of(stream).ws_row;
  return rows == 0 ? 24 : rows;
}

std::string painted(std::string_view text, view::Tone tone, bool color) {
  const std::string_view begin = color ? sequence(tone) : "";
  if (begin.empty()) return std::string(text);
  return std::string(begin) + std::string(text) + "\x1b[0m";
}

std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t escape = escape_bytes(text);
    if (escape == 0) width += view::letter_count(text.substr(0, 1));
    text.remove_prefix(std::max<std::size_t>(escape, 1));
  }
  return width;
}

std::string cut_to(std::string_view text, std::size_t width) {
  std::string kept;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t escape = escape_bytes(text);
    if (escape == 0) used += view::letter_count(text.substr(0, 1));
    const std::size_t bytes = std::max<std::size_t>(escape, 1);
    if (escape != 0 || used <= width) kept += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return kept;
}

std::string one_line(std::string_view text) { return printable_line(text); }

std::string where_found(const std::filesystem::path& runs_dir) {
  const auto usual = runlog::choose_runs_dir({});
  std::error_code ignored;
  if (usual && std::filesystem::equivalent(*usual, runs_dir, ignored)) return {};
  return " --runs-dir " + shell_word(runs_dir.string());
}

void print(std::FILE* stream, std::string_view text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (stream == stdout && !whole && output_error == 0) output_error = errno;
}

bool output_arrives() {
  const bool flushed = std::fflush(stdout) == 0;
  if ((!flushed || std::ferror(stdout) != 0) && output_error == 0)
    output_error = flushed ? EIO : errno;
  return output_error == 0;
}

int end_of_output(int code) {
  if (output_arrives()) return code;
  if (output_error == EPIPE) return 128 + SIGPIPE;
  const int failed =
      report({ErrorKind::kFailure, std::string("cannot write to standard output: ") +
                                       std::strerror(output_error) + "; the output is incomplete"});
  return code == 0 ? failed : code;
}

int report(const Error& error) {
  print(stderr,
        painted("ringside:", view::Tone::kError, wants_color(stderr)) + " " + error.message + "\n");
  return exit_code(error);
}

int code_of(const Result<int>& done) { return done ? *done : report(done.error()); }

}  // namespace ringside::cli
