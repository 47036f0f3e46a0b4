// Asks a library which combination a study trains next, given the results so far. Runs the
// library's helper program; any thread, blocks for some seconds.
#pragma once

#include <optional>
#include <vector>

#include "gui/launch/studies/ask_library.h"
#include "gui/view/scaling/study_facts.h"

namespace ringside::session {

/// Returns what the library is given: each combination whose runs have ended, and its value of the
/// study's metric. Pure.
launch::LibraryQuestion question_of(const view::StudyFacts& facts);

/// Returns a value for each varied setting. Nothing: the study has all its trials, uses no library,
/// or was stopped by a person.
Result<std::optional<std::vector<launch::Swept>>> next_trial(const view::StudyFacts& facts,
                                                             const launch::Cancelled& cancelled);

}  // namespace ringside::session
