// Why a program ended, out of what it printed last: the exception rather than its advice, the
// warnings behind it or the lines of those that end with it. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::agent {

/// How sure it is that the words are the reason.
enum class Saying : std::uint8_t {
  kNothing,
  kIdle,     ///< nothing but warnings, progress and logs
  kLine,     ///< the last line
  kTrouble,  ///< a line that tells in plain words what did not go
  kError,    ///< an exception, or a line with the form of an error
};

/// Printable, one line each, and cut.
struct SaidWords {
  std::string error;   ///< "ValueError: no such digit"; empty: nothing was said
  std::string more;    ///< what the same message goes on with
  std::string advice;  ///< what the same message says to do
  Saying saying = Saying::kNothing;
  std::string collective;  ///< in which it failed: "barrier"; "backward", in which DDP reduces
};

/// Words at the end of what a program wrote to its error stream.
SaidWords last_words(std::string_view text);

/// Words of one message of several lines, as it stands in an exception or an error file.
SaidWords words_of_message(std::string_view message);

/// Words from both streams of a program: its error stream, unless the other one alone names an
/// error. `where`: the folder of the files "stderr" and "stdout" as a person shall read it.
struct QuotedWords {
  std::string text;  ///< empty where nothing was said
  std::string collective;
};
QuotedWords quoted_last_words(std::string_view errors, std::string_view output,
                              const std::string& where);

/// The error and the rest of it, as it comes into a sentence: error; its advice: "...".
std::string told(const SaidWords& words);

/// What such a sentence says of what happened.
std::string_view without_advice(std::string_view told);

}  // namespace ringside::agent
