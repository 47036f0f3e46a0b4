// The agent of another node than 0 towards that of node 0: finds it by agent.json of the shared run
// folder, says that it is ready, tries the ranks' meeting place, and is told when to begin and to
// end. Node 0 decides; when it is gone, so is the run. Used by the agent's loop only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "protocol/runlog/run_folder.h"
#include "protocol/wire/agent_endpoint.h"
#include "protocol/wire/node_link.h"
#include "protocol/wire/poller.h"
#include "trainer/agent/nodes/member_phase.h"
#include "trainer/agent/nodes/node_clock.h"
#include "trainer/agent/nodes/node_words.h"

namespace ringside::agent {

class MemberLink {
 public:
  /// What is known of node 0 beforehand.
  struct Head {
    NodeLimits limits;
    bool on_this_host = false;  ///< whether it lives can be seen
    bool met = false;           ///< in a run before this one: it announces all of its runs at once
    bool devices = true;        ///< this node has them
    bool in_line = false;       ///< it queues for them when node 0 says so
  };

  MemberLink(runlog::RunFolder folder, Node node, const Head& head, wire::Poller& poller,
             std::int32_t tag);
  MemberLink(const MemberLink&) = delete;
  MemberLink& operator=(const MemberLink&) = delete;
  ~MemberLink();

  /// Takes what was said and says what is due.
  void serve(std::int64_t now_ns);

  MemberPhase phase() const { return phase_; }
  /// The end of the run is known: verdict().
  bool decided() const { return phase_ == MemberPhase::kClosed || phase_ == MemberPhase::kLost; }
  bool met() const { return head_.met; }
  std::int32_t attempt() const { return attempt_; }
  const MeetingPlace& place() const { return place_; }
  /// Outcome of the whole run, once decided().
  const NodeOutcome& verdict() const { return verdict_; }
  /// What node 0 wants of the ranks that run here.
  std::optional<EndRanks> take_order() { return std::exchange(order_, {}); }
  /// Node 0 says that it is this node's turn to queue for its devices.
  bool take_queue_order() { return std::exchange(told_to_queue_, false); }
  /// Another agent of node 0 came, which lets all queue anew.
  bool take_new_head() { return std::exchange(new_head_, false); }
  /// Notes that this node has its devices.
  void has_devices();
  std::optional<messages::ClockSync> clock_sync(std::int64_t now_ns) { return clock_.due(now_ns); }

  /// The ranks here are gone.
  void report(const NodeOutcome& outcome, std::int64_t now_ns);
  /// Somebody asked this agent to stop the run.
  void tell_stop(const std::string& who, bool now);
  /// Takes silence of node 0 sooner for its end from now on.
  void expect_end() { ending_ = true; }

 private:
  bool waits() const { return phase_ == MemberPhase::kSeeking || phase_ == MemberPhase::kReady; }
  bool goes(MemberEvent event);
  void end(MemberEvent event, NodeOutcome verdict);
  void seek(std::int64_t now_ns);
  void leave();
  // One for each message that comes from node 0.
  void take(const Pong& pong, const wire::NodeMessage& message);
  void take(const Queue& queue, const wire::NodeMessage& message);
  void take(const Try& place, const wire::NodeMessage& message);
  void take(const Begin& place, const wire::NodeMessage& message);
  void take(const EndRanks& order, const wire::NodeMessage& message);
  void take(const Close& close, const wire::NodeMessage& message);
  void say(const ToHead& said);
  bool head_came_and_went(std::int64_t now_ns);
  bool head_did_not_begin(std::int64_t now_ns);
  bool left_this_run(const Result<wire::AgentEndpoint>& head, std::int64_t now_ns);
  void give_up(std::int64_t now_ns);

  runlog::RunFolder folder_;
  Node node_;
  Head head_;
  wire::Poller& poller_;
  std::int32_t tag_;
  std::optional<wire::NodeClient> client_;
  std::uint64_t token_ = 0;
  NodeClock clock_;
  MemberPhase phase_ = MemberPhase::kSeeking;
  std::int32_t attempt_ = 0;
  MeetingPlace place_;
  Ready ready_;
  bool told_to_queue_ = false;
  bool new_head_ = false;
  bool ending_ = false;
  Over over_;
  NodeOutcome verdict_;
  std::optional<EndRanks> order_;
  std::int64_t since_ns_ = 0;  // of the search
  std::int64_t looked_ns_ = 0;
  std::optional<std::uintmax_t> log_bytes_;  // of node 0
  std::int64_t wrote_ns_ = 0;                // when they were last seen to change
  std::int64_t left_ns_ = 0;                 // node 0 is not there any more since then
  std::int64_t heard_ns_ = 0;
  std::int64_t said_ns_ = 0;
  std::int64_t pinged_ns_ = 0;
};

}  // namespace ringside::agent
