// The one line that says what matters most now, and how many more events there are. Pure.
#pragma once

#include <vector>

#include "gui/analysis/alerts/alerts.h"
#include "gui/analysis/scaling/speedup.h"
#include "gui/view/run_context.h"
#include "gui/view/words.h"

namespace ringside::view {

/// Buttons of the strip, and what it says without an alert.
namespace label {
inline constexpr const char* kDismiss = "Dismiss";
inline constexpr const char* kShowSteps = "Show steps";
inline constexpr const char* kAlertSettings = "Alert settings…";
inline constexpr const char* kWaitingForFirstStep = "Waiting for the first step of every rank.";
inline constexpr const char* kNoSteps = "This run has no steps.";
inline constexpr const char* kAgentSilent =
    "Lost contact: the agent is alive but does not respond. The data ends at step ";
inline constexpr const char* kMachineSilent = "Lost contact with ";
inline constexpr const char* kAgentGone =
    "Interrupted: the agent is gone, and the log ends at step ";
inline constexpr const char* kUnreadable = "The rest of this run cannot be read";
inline constexpr const char* kNotOverlapped =
    "Gradient communication is not overlapped with backward: ";
}  // namespace label

struct EventView {
  Tone tone = Tone::kOk;
  Shape shape = Shape::kTick;
  Sentence main;   ///< "Rank 2 arrived last in 83 % of the last 200 steps, by 6.1 ms, while loading
                   ///< data."
  Sentence aside;  ///< "The others wait 6.4 ms per step; without that the speedup would be 3.62×."
  Rank rank = kNoRank;
  Step step = -1;  ///< where it happened; for "Show steps"
  bool dismissed = false;
  std::int64_t at_ns = -1;  ///< -1: nothing that happened, as that all is well
};

/// One line of the list of what happened: an alert, a notice, a change of state, an epoch, a
/// checkpoint; several where they say the same.
struct MomentView {
  std::string time;  ///< "14:32:07.912", of another day "2026-11-03 14:32"; empty where not known
  Tone tone = Tone::kText;
  Shape shape = Shape::kNone;
  Rank rank = kNoRank;
  Step step = -1;  ///< the step that was being done then; -1: before the first
  std::string text;
};

inline constexpr std::size_t kMostMoments = 200;

struct EventStripView {
  EventView first;  ///< the worst; a quiet line when there is nothing: "All 4 ranks are within 1.2
                    ///< ms of each other."
  std::vector<EventView> more;  ///< the other alerts; dismissed ones come last
  std::string count;            ///< "18 events", of `moments`; empty without any
  std::vector<MomentView>
      moments;  ///< newest first: the newest kMostMoments, and open alerts however old
  bool can_show = false;
  bool can_dismiss = false;  ///< there is an alert to dismiss
};

EventView event_view(const analysis::Alert& alert, const model::RunModel& model,
                     const analysis::Speedup* speedup);
/// The alerts of a run under what its viewer knows and wants to see.
std::vector<analysis::Alert> alerts_of(const model::RunModel& model, const RunContext& context);
EventStripView build_event_strip(const model::RunModel& model, const RunContext& context,
                                 const BaselineContext& baseline);

/// How a process ended: "was killed (SIGKILL)", "ended with exit code 3".
std::string ending_text(int exit_code, int signal);
std::string signal_name(int signal);
/// Why a rank failed, without what the agent's sentence says before it ("rank 3: killed by SIGKILL
/// after step 9: why").
std::string failure_reason(const std::string& text, Rank rank);

}  // namespace ringside::view
