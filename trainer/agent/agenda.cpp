#include "trainer/agent/agenda.h"

#include <algorithm>

namespace ringside::agent {
namespace {

using messages::State;

bool any_left(const Seen& seen) {
  return !std::all_of(seen.runs.begin(), seen.runs.end(), messages::is_final);
}

}  // namespace

NextAction Agenda::enter(Stage stage, NextAction action) {
  stage_ = stage;
  return action;
}

NextAction Agenda::next(const Seen& seen) {
  switch (stage_) {
    case Stage::kQueueing:
      return queue(seen);
    case Stage::kChoosing:
      return choose(seen);
    case Stage::kPreparing:
      return is_over(seen) ? close() : enter(Stage::kGathering, PrepareAttempt{});
    case Stage::kGathering:
      return gather(seen);
    case Stage::kFollowing:
      return follow(seen);
    case Stage::kRunning:
      return run(seen);
    case Stage::kClosing:
      return close();
    case Stage::kOver:
      break;
  }
  return LeaveQueue{};
}

NextAction Agenda::queue(const Seen& seen) {
  if (!any_left(seen)) return enter(Stage::kOver, LeaveQueue{});
  const auto failed = std::find(seen.runs.begin(), seen.runs.end(), State::kFailed);
  if (failed != seen.runs.end() && !keep_going_)
    return rest_after(static_cast<std::size_t>(failed - seen.runs.begin()), seen);
  if (messages::is_final(seen.runs.front())) return rest_after(0, seen);
  if (seen.devices) return choose(seen);
  if (!seen.stopped_by) return WaitForDevices{};
  return Abandon{"asked by " + *seen.stopped_by + " while it waited for its devices"};
}

NextAction Agenda::choose(const Seen& seen) {
  const auto ended = std::exchange(current_, {});
  if (!any_left(seen)) return enter(Stage::kOver, LeaveQueue{});
  if (ended && !goes_on_after(seen.runs[*ended], seen)) return rest_after(*ended, seen);
  while (next_ < seen.runs.size() && messages::is_final(seen.runs[next_])) ++next_;
  if (next_ == seen.runs.size()) return enter(Stage::kOver, LeaveQueue{});
  current_ = next_++;
  return enter(node_ == 0 ? Stage::kPreparing : Stage::kFollowing, OpenRun{});
}

// Only node 0 decides whether other runs follow.
bool Agenda::goes_on_after(State ended, const Seen& seen) const {
  if (ended == State::kFinished) return true;
  const bool may = node_ != 0 || (keep_going_ && ended == State::kFailed);
  return may && !seen.stopped_by && !lost_head_;
}

Abandon Agenda::rest_after(std::size_t ended, const Seen& seen) const {
  return {"not started: run " + ids_[ended] + " before it " +
          (seen.runs[ended] == State::kStopped ? "was stopped" : "failed")};
}

// Each node must be able to connect to the rendezvous address before any rank is started.
NextAction Agenda::gather(const Seen& seen) {
  if (is_over(seen)) return close();
  if (seen.gathered) return enter(Stage::kRunning, StartAttempt{});
  if (seen.late) {
    const std::string what = seen.waits_for.empty() ? "a node is not ready" : seen.waits_for;
    return EndRun{State::kFailed, what + ", four minutes after the start"};
  }
  if (seen.stopped_by) return EndRun{State::kStopped, "asked while it waited for other nodes"};
  if (!seen.trouble.empty()) return EndRun{State::kFailed, seen.trouble};
  return WaitForAgents{};
}

NextAction Agenda::follow(const Seen& seen) {
  // All runs share one agent of node 0.
  lost_head_ = lost_head_ || seen.phase == MemberPhase::kLost;
  if (is_over(seen)) return close();
  switch (seen.phase) {
    case MemberPhase::kRunning:
      return enter(Stage::kRunning, StartAttempt{});
    case MemberPhase::kClosed:
      return EndRun{seen.verdict.state, seen.verdict.text};
    case MemberPhase::kLost:
      return EndRun{State::kFailed, seen.verdict.text};
    case MemberPhase::kSeeking:
    case MemberPhase::kReady:
    case MemberPhase::kOver:
      break;
  }
  if (seen.stopped_by) return EndRun{State::kStopped, "asked while it waited for node 0"};
  return WaitForAgents{};
}

NextAction Agenda::run(const Seen& seen) {
  if (!seen.attempt_over) return WaitForRanks{};
  const Stage after = node_ != 0      ? Stage::kFollowing
                      : seen.restarts ? Stage::kPreparing
                                      : Stage::kClosing;
  return enter(after, EndAttempt{});
}

}  // namespace ringside::agent
