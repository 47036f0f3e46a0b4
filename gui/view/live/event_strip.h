// A single line with the most important event at present, and the number of further events. Pure.
#pragma once

#include <vector>

#include "gui/analysis/alerts/alerts.h"
#include "gui/analysis/scaling/speedup.h"
#include "gui/view/run_context.h"
#include "gui/view/words.h"

namespace ringside::view {

/// Buttons of the strip, and its texts without an alert.
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
  Step step = -1;  ///< step of the event; for "Show steps"
  bool dismissed = false;
  std::int64_t at_ns = -1;  ///< -1: not an event in time, such as "all is well"
};

/// One line of the list of moments: an alert, a notice, a change of state, an epoch, a checkpoint,
/// or several with the same text.
struct MomentView {
  std::string time;  ///< "14:32:07.912", on another day "2026-11-03 14:32"; empty if unknown
  Tone tone = Tone::kText;
  Shape shape = Shape::kNone;
  Rank rank = kNoRank;
  Step step = -1;  ///< the step in progress at that time; -1: before the first
  std::string text;
};

inline constexpr std::size_t kMostMoments = 200;

struct EventStripView {
  /// The worst event; without any, a quiet line: "All 4 ranks are within 1.2 ms of each other."
  EventView first;
  std::vector<EventView> more;  ///< the other alerts; dismissed ones come last
  std::string count;            ///< "18 events", of `moments`; empty without any
  std::vector<MomentView>
      moments;  ///< newest first: the newest kMostMoments, and open alerts however old
  bool can_show = false;
  bool can_dismiss = false;  ///< there is an alert to dismiss
};

EventView event_view(const analysis::Alert& alert, const model::RunModel& model,
                     const analysis::Speedup* speedup);
/// The present alerts of a run as far as its viewer knows, without those that are switched off.
std::vector<analysis::Alert> alerts_of(const model::RunModel& model, const RunContext& context);
EventStripView build_event_strip(const model::RunModel& model, const RunContext& context,
                                 const BaselineContext& baseline);

/// How a process ended: "was killed (SIGKILL)", "ended with exit code 3".
std::string ending_text(int exit_code, int signal);
std::string signal_name(int signal);
/// Why a rank failed: the agent's text without its beginning ("rank 3: killed by SIGKILL after step
/// 9: why").
std::string failure_reason(const std::string& text, Rank rank);

}  // namespace ringside::view
