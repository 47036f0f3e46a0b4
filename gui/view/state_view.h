// The state of a run or rank as word, shape and tone, so that it reads without colour. Pure.
#pragma once

#include <string>
#include <string_view>

#include "gui/view/run_context.h"
#include "gui/view/words.h"
#include "protocol/messages/states.h"

namespace ringside::view {

/// States that a viewer infers; recorded states are in state_view().
namespace label {
inline constexpr const char* kLate = "Late";
inline constexpr const char* kInterrupted = "Interrupted";
inline constexpr const char* kLostContact = "Lost contact";
inline constexpr const char* kReplayPaused = "Replay paused";
inline constexpr const char* kViewPaused = "View paused";
inline constexpr const char* kFinishedNan = "NaN/Inf";
}  // namespace label

struct StateView {
  std::string word;
  Shape shape = Shape::kNone;
  Tone tone = Tone::kText;
  bool operator==(const StateView&) const = default;
};

StateView state_view(messages::State state);
/// 2 for errors, 1 for warnings, 0 otherwise.
int badness(Tone tone);
/// The run's state as a viewer shows it: the recorded one, unless the agent is gone or cannot be
/// reached; "View paused, 12 s behind" while the view is paused and the run may continue.
StateView run_state_view(const model::RunModel& model, const RunContext& context);
/// The state of a rank. "Late", "No step for 10 s" and, if it waits for a silent rank, "Waiting 10
/// s" replace "training".
StateView rank_state_view(const model::RankModel& rank, bool late, double silent_s, bool waits,
                          const RunContext& context);

/// Whether the run has ended, by its records or as inferred by the viewer.
bool is_over(const model::RunModel& model, const RunContext& context);

/// The outcome of a run of which only a summary is known.
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
/// The outcome, with regard to its loss: a finished run whose loss is NaN or Inf at the end is
/// worthless, which its word, shape and colour show.
StateView outcome_view(RunOutcome outcome, bool loss_broke);
/// The outcome for a recorded state's name ("finished", "did_not_die"), or for "interrupted" and
/// "lost contact".
RunOutcome outcome_of(std::string_view word);

}  // namespace ringside::view
