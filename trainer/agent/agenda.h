// State machine over an agent's list of runs. It gets the current facts at each wake-up and returns
// the next action; it does not access the clock, files or sockets. One object per agent, which
// carries out the actions.
//
//   queueing -> choosing a run -> preparing an attempt -> gathering the nodes -> running -> closing
//
// Agents of nodes other than 0 follow node 0 instead of preparing and gathering.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/messages/states.h"
#include "trainer/agent/nodes/member_phase.h"
#include "trainer/agent/nodes/node_group.h"

namespace ringside::agent {

struct WaitForDevices {};
/// Give up all runs that are not over.
struct Abandon {
  std::string why;
};
/// Prepare current() for its attempts.
struct OpenRun {};
/// Plan the attempt, and ask the other nodes to get ready for it.
struct PrepareAttempt {};
struct WaitForAgents {};
struct StartAttempt {};
struct WaitForRanks {};
/// Follows when nothing of the attempt runs any more.
struct EndAttempt {};
/// Record how the run ended before or between its attempts.
struct EndRun {
  messages::State state = messages::State::kFailed;
  std::string text;
};
struct CloseRun {};
/// All runs are over: release the devices to others.
struct LeaveQueue {};
using NextAction =
    std::variant<WaitForDevices, Abandon, OpenRun, PrepareAttempt, WaitForAgents, StartAttempt,
                 WaitForRanks, EndAttempt, EndRun, CloseRun, LeaveQueue>;

struct Seen {
  std::vector<messages::State> runs;      ///< in the order of the list
  std::optional<std::string> stopped_by;  ///< who asked the agent to stop
  bool devices = false;                   ///< all are available, or node 0 decides when to queue
                                          ///< for them
  bool gathered = false;                  ///< each node of the current run can begin
  bool late = false;                      ///< the missing nodes are not expected any more
  std::string waits_for;                  ///< the missing nodes
  std::string trouble;                    ///< why nodes that reported cannot begin
  MemberPhase phase = MemberPhase::kSeeking;  ///< on nodes other than 0
  NodeOutcome verdict;                        ///< set in the phases kClosed and kLost
  bool attempt_over = false;                  ///< nothing is left to do for it
  bool restarts = false;                      ///< another attempt follows it
};

class Agenda {
 public:
  /// `runs` are their ids, in execution order.
  Agenda(Node node, std::vector<std::string> runs, bool keep_going)
      : node_(node), ids_(std::move(runs)), keep_going_(keep_going) {}

  NextAction next(const Seen& seen);
  /// Index of the run that has begun and is not closed.
  std::optional<std::size_t> current() const { return current_; }
  bool over() const { return stage_ == Stage::kOver; }

 private:
  enum class Stage : std::uint8_t {
    kQueueing,
    kChoosing,
    kPreparing,
    kGathering,
    kFollowing,
    kRunning,
    kClosing,
    kOver,
  };
  NextAction enter(Stage stage, NextAction action);
  NextAction close() { return enter(Stage::kChoosing, CloseRun{}); }
  NextAction queue(const Seen& seen);
  NextAction choose(const Seen& seen);
  NextAction gather(const Seen& seen);
  NextAction follow(const Seen& seen);
  NextAction run(const Seen& seen);
  bool is_over(const Seen& seen) const { return messages::is_final(seen.runs[*current_]); }
  bool goes_on_after(messages::State ended, const Seen& seen) const;
  Abandon rest_after(std::size_t ended, const Seen& seen) const;

  Node node_;
  std::vector<std::string> ids_;
  bool keep_going_;
  Stage stage_ = Stage::kQueueing;
  std::optional<std::size_t> current_;
  std::size_t next_ = 0;  // index in the list
  bool lost_head_ = false;
};

}  // namespace ringside::agent
