// Finds the reason for a program's end in its last output: the exception rather than its advice,
// later warnings or the lines of processes that end with it. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::agent {

/// How certain it is that the text is the reason.
enum class Certainty : std::uint8_t {
  kNothing,
  kIdle,     ///< only warnings, progress and logs
  kLine,     ///< the last line
  kTrouble,  ///< a line that reports a problem in plain words
  kError,    ///< an exception, or a line in the format of an error
};

/// Printable text, one line each, cut to a maximum length.
struct ErrorMessage {
  std::string error;   ///< "ValueError: no such digit"; empty when there is no output
  std::string more;    ///< rest of the same message
  std::string advice;  ///< advice in the same message
  Certainty saying = Certainty::kNothing;
  std::string collective;  ///< collective in which it failed: "barrier"; "backward", in which DDP
                           ///< reduces
};

/// Finds the error at the end of a program's error stream.
ErrorMessage find_error(std::string_view text);

/// Parses one message of several lines, from an exception or an error file.
ErrorMessage words_of_message(std::string_view message);

/// The error from both streams of a program: from its error stream, unless only the other one has
/// an error. `where` is the displayed folder of the files "stderr" and "stdout".
struct QuotedError {
  std::string text;  ///< empty when there is no output
  std::string collective;
};
QuotedError quoted_error(std::string_view errors, std::string_view output,
                         const std::string& where);

/// The error as part of a sentence: error; its advice: "...".
std::string error_text(const ErrorMessage& words);

std::string_view without_advice(std::string_view error_text);

}  // namespace ringside::agent
