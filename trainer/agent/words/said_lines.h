// What a program printed, as lines a person would read: without colours, overwritten progress bars
// and the marks that launchers put before each line; and what kind of line each is. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringside::agent {

/// The lines of `text`, an empty one for each that is empty or held progress alone. What stands
/// behind a progress bar that was never ended by a newline is a line of its own.
std::vector<std::string> said_lines(std::string_view text);

bool is_indented(std::string_view line);

/// Without the sides of a box around a message: "│ Missing option '--lr'. │". Trimmed.
std::string_view without_sides(std::string_view line);

/// Says nothing of why a program ended: empty, a rule of signs, a warning, a line of a log below an
/// error, what trackers print at their end.
bool is_idle_line(std::string_view line);

/// Says what to do rather than what happened: "Compile with ...", "You can ...".
bool is_advice(std::string_view sentence);

/// A line of a log, of the level of errors.
bool is_logged_error(std::string_view line);

/// "train.py: error: ...", "FATAL ...", "panicked at ...": an error by its form.
bool is_error_line(std::string_view line);

/// Says only that a process has ended, as shells and launchers do behind the reason: "Aborted (core
/// dumped)", "... exits with return code = 1", "make: *** [train] Error 1".
bool tells_end(std::string_view line);

/// Says that something did not go, in plain words: "cannot open ...", "... does not exist".
bool tells_trouble(std::string_view line);

}  // namespace ringside::agent
