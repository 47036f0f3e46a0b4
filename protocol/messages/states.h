// States of a rank or a run, phases of a pass over the data, severities of a notice, and their
// names. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringside::messages {

/// State of a rank or, with rank kNoRank, of the run. "Interrupted" and "lost contact" are
/// conclusions of a viewer and are never recorded. Wire numbers: never reuse, never renumber.
enum class State : std::uint8_t {
  kQueued = 0,
  kStarting = 1,
  kTraining = 2,
  kEvaluating = 3,
  kSaving = 4,
  kStopping = 5,
  kFinished = 6,
  kFailed = 7,
  kStopped = 8,
  kDidNotDie = 9,
};

enum class Phase : std::uint8_t { kTrain = 0, kValidate = 1, kTest = 2 };
enum class Severity : std::uint8_t { kInfo = 0, kWarning = 1, kError = 2 };

/// Names for people and for JSON and CSV cells; "unknown" for unknown numbers.
std::string_view name_of(State state);
std::string_view name_of(Phase phase);
std::string_view name_of(Severity severity);
/// True for the states that end a rank or a run.
bool is_final(State state);

}  // namespace ringside::messages
