// The state of a run or rank as word, shape and tone, so that it reads without colour. Pure.
#pragma once

#include <string>
#include <string_view>

#include "gui/view/run_context.h"
#include "gui/view/words.h"
#include "protocol/messages/states.h"

namespace ringside::view {

/// Words of states that a viewer concludes; those of recorded states are in state_view().
namespace label {
inline constexpr const char* kLate = "Late";
inline constexpr const char* kInterrupted = "Interrupted";
inline constexpr const char* kLostContact = "Lost contact";
inline constexpr const char* kReplayPaused = "Replay paused";
inline constexpr const char* kViewPaused = "View paused";
inline constexpr const char* kFinishedNan = "Finished, NaN/Inf";
}  // namespace label

struct StateView {
  std::string word;
  Shape shape = Shape::kNone;
  Tone tone = Tone::kText;
  bool operator==(const StateView&) const = default;
};

StateView state_view(messages::State state);
/// 2 of errors, 1 of what warns, 0 of all else.
int badness(Tone tone);
/// The run's state as a viewer shows it: the recorded one, unless the agent is gone or cannot be
/// reached; "View paused, 12 s behind" while the view is paused and the run may not be.
StateView run_state_view(const model::RunModel& model, const RunContext& context);
/// "Late", "No step for 10 s" and, of one that waits for a rank that is silent, "Waiting 10 s"
/// override training.
StateView rank_state_view(const model::RankModel& rank, bool late, double silent_s, bool waits,
                          const RunContext& context);

/// Recorded and final, or concluded to be over.
bool is_over(const model::RunModel& model, const RunContext& context);

/// How a run stands of which only a summary is known.
enum class RunOutcome : std::uint8_t {
  kQueued,
  kStarting,
  kTraining,
  kEvaluating,
  kSaving,
  kStopping,
  kFinished,
  kFailed,
  kStopped,
  kDidNotDie,
  kInterrupted,
  kLostContact,
  kUnknown,
};
StateView outcome_view(RunOutcome outcome);
/// The outcome with what its loss came to: a finished run whose loss is not a number at its end,
/// done and worth nothing, says so in word, shape and colour.
StateView outcome_view(RunOutcome outcome, bool loss_broke);
/// The outcome for a state's name as recorded ("finished", "did_not_die"), or for "interrupted",
/// "lost contact".
RunOutcome outcome_of(std::string_view word);

}  // namespace ringside::view
