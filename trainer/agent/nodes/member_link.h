// Connection of another node's agent to the agent of node 0: finds it by the agent.json in the
// shared run folder, reports that it is ready, tests the rendezvous address, and is told when to
// begin and end. Node 0 decides; if it is gone, the run is over. Used by the agent's loop only.
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
#include "trainer/agent/nodes/node_messages.h"

namespace ringside::agent {

class MemberLink {
 public:
  /// What is known about node 0 beforehand.
  struct Head {
    NodeLimits limits;
    bool on_this_host = false;  ///< its process can be checked
    bool met = false;           ///< seen in an earlier run; it announces all of its runs at once
    bool devices = true;        ///< this node has its devices
    bool in_line = false;       ///< node 0 decides when this node queues for devices
  };

  MemberLink(runlog::RunFolder folder, Node node, const Head& head, wire::Poller& poller,
             std::int32_t tag);
  MemberLink(const MemberLink&) = delete;
  MemberLink& operator=(const MemberLink&) = delete;
  ~MemberLink();

  /// Handles received messages and sends those that are due.
  void serve(std::int64_t now_ns);

  MemberPhase phase() const { return phase_; }
  /// The end of the run is known: see verdict().
  bool decided() const { return phase_ == MemberPhase::kClosed || phase_ == MemberPhase::kLost; }
  bool met() const { return head_.met; }
  std::int32_t attempt() const { return attempt_; }
  const RendezvousAddress& place() const { return place_; }
  /// Outcome of the whole run, valid when decided().
  const NodeOutcome& verdict() const { return verdict_; }
  /// Node 0's order for the ranks of this node.
  std::optional<EndRanks> take_order() { return std::exchange(order_, {}); }
  /// True once when node 0 said that this node should queue for its devices.
  bool take_queue_order() { return std::exchange(told_to_queue_, false); }
  /// True once when a new agent of node 0 appeared, with which all nodes queue again.
  bool take_new_head() { return std::exchange(new_head_, false); }
  /// Call when this node has its devices.
  void has_devices();
  std::optional<messages::ClockSync> clock_sync(std::int64_t now_ns) { return clock_.due(now_ns); }

  /// Reports that the ranks of this node are gone.
  void report(const NodeOutcome& outcome, std::int64_t now_ns);
  void request_stop(const std::string& who, bool now);
  /// Uses the shorter limit for node 0's silence from now on.
  void expect_end() { ending_ = true; }

 private:
  bool waits() const { return phase_ == MemberPhase::kSeeking || phase_ == MemberPhase::kReady; }
  bool goes(MemberEvent event);
  void end(MemberEvent event, NodeOutcome verdict);
  void seek(std::int64_t now_ns);
  void leave();
  // One overload per message from node 0.
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
  RendezvousAddress place_;
  Ready ready_;
  bool told_to_queue_ = false;
  bool new_head_ = false;
  bool ending_ = false;
  Over over_;
  NodeOutcome verdict_;
  std::optional<EndRanks> order_;
  std::int64_t since_ns_ = 0;  // start of the search
  std::int64_t looked_ns_ = 0;
  std::optional<std::uintmax_t> log_bytes_;  // size of node 0's log
  std::int64_t wrote_ns_ = 0;                // when it was last seen to change
  std::int64_t left_ns_ = 0;                 // since when node 0 is gone
  std::int64_t last_record_ns_ = 0;
  std::int64_t said_ns_ = 0;
  std::int64_t pinged_ns_ = 0;
};

}  // namespace ringside::agent
