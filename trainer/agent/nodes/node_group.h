// What node 0's agent knows about the other nodes of a run, and how an attempt ended over all
// nodes: a state machine. It gets events and times and returns decisions; it does not access
// sockets or the clock. One object per run.
//
//   gathering -> running -> ending -> (the next attempt gathers again)
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/messages/states.h"
#include "trainer/agent/processes/exit_status.h"

namespace ringside::agent {

struct NodeOutcome {
  messages::State state = messages::State::kFailed;
  std::string text{};
  bool started = true;         ///< false: a process could not be created
  ExitStatus status{};         ///< of the named rank
  bool blames_a_peer = false;  ///< it only reports a connection that another rank broke

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("state", self.state);
    visit("text", self.text);
    visit("started", self.started);
    visit("exit_code", self.status.exit_code);
    visit("signal", self.status.signal);
    visit("blames_a_peer", self.blames_a_peer);
  }
};

struct NodeLimits {
  /// A node counts as gone after this much silence during normal operation.
  std::int64_t silent_ns = 60'000'000'000;
  /// Limit of silence after a failure or an end. A file system may delay an agent, especially when
  /// all ranks have just written to it.
  std::int64_t silent_at_end_ns = 30'000'000'000;
  /// How long to wait for the return of nodes at a restart.
  std::int64_t return_ns = 600'000'000'000;
};

/// Limits for a run: the first one is limits.stall_s, clamped to a reasonable range for a dead
/// agent.
NodeLimits node_limits(double stall_s);

class NodeGroup {
 public:
  /// `met`: all nodes were present before, so they are waited for as at a restart.
  explicit NodeGroup(Node nodes, const NodeLimits& limits = {}, bool met = false);

  /// Expects the nodes to report that they can begin `attempt`.
  void gather(std::int32_t attempt, std::int64_t now_ns);
  void on_message(Node node, std::int64_t now_ns);
  /// `reached`: it could connect to the rendezvous address; `trouble` is the reason if not.
  void on_ready(Node node, const std::string& host, bool reached, const std::string& trouble);
  /// Whether every node has reached the address; otherwise see trouble().
  bool gathered() const;
  /// One sentence about nodes that are missing or cannot connect; empty when there are none so far.
  std::string trouble() const;
  /// "waits for nodes 1 and 3 of 4".
  std::string waiting_for() const;

  void begin(std::int64_t now_ns);
  /// Whether the node has begun, and has neither ended nor gone.
  bool runs(Node node) const { return running_ && !at(node).ended && !at(node).gone; }
  void on_over(Node node, std::int32_t attempt, const NodeOutcome& outcome, std::int64_t now_ns);
  /// A rank of node 0 has failed, or all of its processes are gone.
  void on_own_failure(const Failure& failure, bool blames_a_peer, std::int64_t now_ns);
  void on_own_over(const NodeOutcome& outcome, std::int64_t now_ns);
  void on_tick(std::int64_t now_ns);

  /// Returns once per attempt why the ranks of all nodes must end, after a failure.
  std::optional<std::string> take_failure();
  /// Every node has ended or is gone.
  bool over() const;
  /// Whether an agent of the attempt was lost.
  bool lost_a_node() const;
  /// Outcome of the run: valid when over.
  NodeOutcome outcome() const;

 private:
  struct Member {
    std::string host;
    bool there = false;  // ready for the attempt that is being gathered
    bool reached = false;
    bool ended = false;
    bool gone = false;
    bool gone_first = false;  // gone before any independent failure; it may have come back
    std::string trouble;
    std::int64_t last_record_ns = 0;
    NodeOutcome outcome;
    bool left_first = false;  // its ranks ended in order before any failure
  };
  static constexpr std::int64_t kNotYet = std::numeric_limits<std::int64_t>::max();
  Member& at(Node node) { return members_[static_cast<std::size_t>(node)]; }
  const Member& at(Node node) const { return members_[static_cast<std::size_t>(node)]; }
  Node nodes() const { return static_cast<Node>(members_.size()); }
  std::optional<Node> early_leaver() const;
  std::string name_of(Node node) const;
  void note_failure(Node node, const std::string& text, std::int64_t now_ns);
  void begin_ending(std::int64_t now_ns);
  void miss(std::int64_t now_ns);

  std::vector<Member> members_;  // node 0's entry has its own result
  NodeLimits limits_;
  std::int32_t attempt_ = 0;
  std::int64_t gathers_ns_ = 0;  // start of gathering
  bool again_ = false;           // all nodes were present before
  bool running_ = false;
  bool ending_ = false;
  bool told_failure_ = false;
  std::optional<std::string> failure_;
  std::vector<Node> failed_;          // in the order in which they were reported
  std::int64_t failed_ns_ = kNotYet;  // time of the first failure that does not blame another node
};

}  // namespace ringside::agent
