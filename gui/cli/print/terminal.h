// What the command line prints with: colours only where they are wanted, errors in one shape. Main
// thread.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "gui/view/words.h"
#include "protocol/base/result.h"

namespace ringside::cli {

bool is_terminal(std::FILE* stream);
/// A terminal, and NO_COLOR is not set (or empty).
bool wants_color(std::FILE* stream);
/// Columns of the terminal behind `stream`; 80 where that is not known.
int columns_of(std::FILE* stream);
/// Lines of the terminal behind `stream`; 24 where that is not known.
int rows_of(std::FILE* stream);

/// The text in the colour of its tone, or as it is.
std::string painted(std::string_view text, view::Tone tone, bool color);

/// Characters on the screen: UTF-8 code points without colour sequences.
std::size_t shown_width(std::string_view text);
/// The first `width` characters of `text` at most; colours are kept.
std::string cut_to(std::string_view text, std::size_t width);

/// Free text as one line that a terminal takes for nothing else: printable_line().
std::string one_line(std::string_view text);

/// Keeps the first error of standard output for end_of_output().
void print(std::FILE* stream, std::string_view text);

/// Whether all that was printed to standard output has arrived so far. Flushes.
bool output_arrives();

/// The last thing of the program: `code`, or, when standard output could not be written, 1 after
/// one error; 128 + SIGPIPE without a word when its reader has left.
int end_of_output(int code);

/// Prints `ringside: MESSAGE` to standard error and returns the exit code of its kind: 2 wrong
/// request, 1 failure.
int report(const Error& error);
/// The exit code of what was done; an error is reported.
int code_of(const Result<int>& done);

}  // namespace ringside::cli
