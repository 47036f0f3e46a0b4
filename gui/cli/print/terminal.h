// Output of the command line: colors only where they are wanted, errors in one form. Main thread.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "gui/view/words.h"
#include "protocol/base/result.h"

namespace ringside::cli {

bool is_terminal(std::FILE* stream);
/// True for a terminal, unless NO_COLOR is set and not empty.
bool wants_color(std::FILE* stream);
/// Columns of the terminal of `stream`; 80 if unknown.
int columns_of(std::FILE* stream);
/// Lines of the terminal of `stream`; 24 if unknown.
int rows_of(std::FILE* stream);

/// The text in the color of its tone, or unchanged.
std::string painted(std::string_view text, view::Tone tone, bool color);

/// Number of characters on the screen: UTF-8 code points without color sequences.
std::size_t shown_width(std::string_view text);
/// At most the first `width` characters of `text`, with its colors.
std::string cut_to(std::string_view text, std::size_t width);

/// Free text as one line without control sequences: printable_line().
std::string one_line(std::string_view text);

/// Returns the suffix " --runs-dir DIR" for a suggested command, so that it finds the runs in that
/// folder; empty if the command finds them without it.
std::string where_found(const std::filesystem::path& runs_dir);

/// Prints the text. The first error of standard output is kept for end_of_output().
void print(std::FILE* stream, std::string_view text);

/// Flushes; returns whether everything printed to standard output so far was written.
bool output_arrives();

/// Called last: returns `code` or, if standard output could not be written, 1 after one error
/// message; 128 + SIGPIPE without a message if its reader has exited.
int end_of_output(int code);

/// Prints `ringside: MESSAGE` to standard error and returns the exit code of its kind: 2 wrong
/// request, 1 failure.
int report(const Error& error);
/// The exit code in `done`; an error is reported.
int code_of(const Result<int>& done);

}  // namespace ringside::cli
