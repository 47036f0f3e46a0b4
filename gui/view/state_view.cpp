#include "gui/view/state_view.h"

#include <array>

#include "gui/analysis/alerts/alert_rules.h"
#include "gui/model/rank_model.h"
#include "gui/model/run_model.h"
#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

using messages::State;

const StateView kInterruptedView{label::kInterrupted, Shape::kHollowDiamond, Tone::kWarning};
const StateView kLostView{label::kLostContact, Shape::kStruckRing, Tone::kWarning};
const StateView kUnknownView{std::string(kDash), Shape::kNone, Tone::kDim};

constexpr std::array<std::pair<std::string_view, RunOutcome>, 12> kOutcomes{{
    {"queued", RunOutcome::kQueued},
    {"starting", RunOutcome::kStarting},
    {"training", RunOutcome::kTraining},
    {"evaluating", RunOutcome::kEvaluating},
    {"saving", RunOutcome::kSaving},
    {"stopping", RunOutcome::kStopping},
    {"finished", RunOutcome::kFinished},
    {"failed", RunOutcome::kFailed},
    {"stopped", RunOutcome::kStopped},
    {"did_not_die", RunOutcome::kDidNotDie},
    {"interrupted", RunOutcome::kInterrupted},
    {"lost contact", RunOutcome::kLostContact},
}};

/// The recorded state without the colour of a healthy one, since it may be outdated while the view
/// is paused.
StateView stale(StateView view) {
  if (view.tone == Tone::kOk) view.tone = Tone::kDim;
  return view;
}

StateView paused_view(const RunContext& context) {
  const double behind_s = static_cast<double>(context.behind_ns) / 1e9;
  return {std::string(label::kViewPaused) + ", " + rough_duration_text(behind_s) + " behind",
          Shape::kSquare, Tone::kAccent};
}

std::string replay_word(double speed) {
  return "Replay " + tick_text(speed, speed < 1 ? 0.1 : 1) + "×";
}

}  // namespace

StateView state_view(State state) {
  // The order is that of messages::State; a number beyond these is of a newer version.
  static const StateView kViews[] = {{"Queued", Shape::kRing, Tone::kInfo},
                                     {"Starting", Shape::kRing, Tone::kOk},
                                     {"Training", Shape::kTriangleRight, Tone::kOk},
                                     {"Evaluating", Shape::kTriangleRight, Tone::kOk},
                                     {"Saving", Shape::kTriangleRight, Tone::kOk},
                                     {"Stopping", Shape::kSquare, Tone::kDim},
                                     {"Finished", Shape::kTick, Tone::kText},
                                     {"Failed", Shape::kCross, Tone::kError},
                                     {"Stopped", Shape::kSquare, Tone::kDim},
                                     {"Did not exit", Shape::kWarningTriangle, Tone::kError}};
  const auto index = static_cast<std::size_t>(state);
  return index < std::size(kViews) ? kViews[index] : kUnknownView;
}

int badness(Tone tone) { return tone == Tone::kError ? 2 : tone == Tone::kWarning ? 1 : 0; }

StateView run_state_view(const model::RunModel& model, const RunContext& context) {
  if (context.contact == Contact::kReplay && context.paused)
    return {label::kReplayPaused, Shape::kSquare, Tone::kAccent};
  if (context.contact == Contact::kReplay)
    return {replay_word(context.replay_speed), Shape::kTriangleRight, Tone::kAccent};
  // The run may also be queued between two attempts, when the newest one has ended.
  if (!context.queued.empty() && context.contact == Contact::kLive && !context.held())
    return state_view(State::kQueued);
  const auto& state = model.run_state();
  if (state && messages::is_final(state->state))
    return outcome_view(static_cast<RunOutcome>(state->state), analysis::ended_in_nan(model));
  if (!context.ended_as.empty()) return outcome_view(outcome_of(context.ended_as));
  if (context.contact == Contact::kInterrupted) return kInterruptedView;
  if (context.contact == Contact::kLost) return kLostView;
  if (context.held()) return paused_view(context);
  // The run's state is "training"; while every rank evaluates, "evaluating" is more exact.
  bool evaluating = !model.ranks().empty();
  for (const Rank rank : model.ranks()) {
    const auto& known = model.rank(rank)->state;
    evaluating = evaluating && known && known->state == State::kEvaluating;
  }
  if (evaluating && state && state->state == State::kTraining)
    return state_view(State::kEvaluating);
  return state ? state_view(state->state) : state_view(State::kStarting);
}

StateView rank_state_view(const model::RankModel& rank, bool late, double silent_s, bool waits,
                          const RunContext& context) {
  if (!rank.state && !rank.hello) return kUnknownView;
  const State state = rank.state ? rank.state->state : State::kStarting;
  if (messages::is_final(state) || state == State::kDidNotDie) return state_view(state);
  if (context.contact == Contact::kInterrupted) return kInterruptedView;
  if (context.contact == Contact::kLost) return kLostView;
  if (silent_s > 0 && waits)
    return {"Waiting " + rough_duration_text(silent_s), Shape::kHexagon, Tone::kWarning};
  if (silent_s > 0)
    return {"No step for " + rough_duration_text(silent_s), Shape::kHexagon, Tone::kError};
  if (late && state == State::kTraining)
    return {label::kLate, Shape::kWarningTriangle, Tone::kWarning};
  return context.held() ? stale(state_view(state)) : state_view(state);
}

bool is_over(const model::RunModel& model, const RunContext& context) {
  const auto& state = model.run_state();
  if (state && messages::is_final(state->state)) return true;
  return context.contact == Contact::kInterrupted || context.contact == Contact::kEnded;
}

StateView outcome_view(RunOutcome outcome) {
  if (outcome == RunOutcome::kInterrupted) return kInterruptedView;
  if (outcome == RunOutcome::kLostContact) return kLostView;
  if (outcome == RunOutcome::kUnknown) return kUnknownView;
  return state_view(static_cast<State>(outcome));
}

StateView outcome_view(RunOutcome outcome, bool loss_broke) {
  if (outcome == RunOutcome::kFinished && loss_broke)
    return {label::kFinishedNan, Shape::kWarningTriangle, Tone::kWarning};
  return outcome_view(outcome);
}

RunOutcome outcome_of(std::string_view word) {
  for (const auto& [name, outcome] : kOutcomes) {
    if (name == word) return outcome;
  }
  return RunOutcome::kUnknown;
}

}  // namespace ringside::view
