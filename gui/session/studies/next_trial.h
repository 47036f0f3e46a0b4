// The combination that a study trains next, where a library proposes it by what was measured. Runs
// that library's helper; any thread, blocks for some seconds.
#pragma once

#include <optional>
#include <vector>

#include "gui/launch/combinations/ask_library.h"
#include "gui/view/scaling/study_facts.h"

namespace ringside::session {

/// What the library gets of the study: each combination whose runs have ended, and what it reached
/// by the study's metric. Pure.
launch::LibraryQuestion question_of(const view::StudyFacts& facts);

/// A value for each setting that is varied. Nothing: the study has all its trials, asks nobody, or
/// was stopped by a person.
Result<std::optional<std::vector<launch::Swept>>> next_trial(const view::StudyFacts& facts,
                                                             const launch::Cancelled& cancelled);

}  // namespace ringside::session
