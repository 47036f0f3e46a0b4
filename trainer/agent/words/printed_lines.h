// Splits a program's output into lines as a person would read them: without colors, overwritten
// progress bars and launcher prefixes; and classifies each line. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside::agent {

/// The lines of `text`; a line that is empty or has only progress is an empty line. Text after a
/// progress bar without a newline is a line of its own.
std::vector<std::string> printed_lines(std::string_view text);

bool is_indented(std::string_view line);

/// Removes the sides of a box around a message: "│ Missing option '--lr'. │". Trimmed.
std::string_view without_sides(std::string_view line);

/// True for a line that does not explain the end of a program: empty, a rule, a warning, a log line
/// below level error, output of trackers at their end.
bool is_idle_line(std::string_view line);

/// True for advice rather than an event: "Compile with ...", "You can ...".
bool is_advice(std::string_view sentence);

/// True for a log line of level error.
bool is_logged_error(std::string_view line);

/// True for the format of an error: "train.py: error: ...", "FATAL ...", "panicked at ...".
bool is_error_line(std::string_view line);

/// True for a line that only reports the end of a process, as shells and launchers print after the
/// reason: "Aborted (core dumped)", "... exits with return code = 1", "make: *** [train] Error 1".
bool tells_end(std::string_view line);

/// True for a problem in plain words: "cannot open ...", "... does not exist".
bool tells_trouble(std::string_view line);

}  // namespace ringside::agent
