// What the agent of node 0 knows of the other nodes of a run, and how an attempt ended over all of
// them: a state machine. Events and the time go in, decisions come out; no socket or clock is
// touched here. One object per run.
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

/// How an attempt ended on one node.
struct NodeOutcome {
  messages::State state = messages::State::kFailed;
  std::string text{};
  bool started = true;         ///< false: a process could not be made
  ExitStatus status{};         ///< of the rank that is named
  bool blames_a_peer = false;  ///< it only reports a connection that somebody else broke

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
  /// A node that was silent for so long while all is well is gone.
  std::int64_t silent_ns = 60'000'000'000;
  /// The limit of silence once something has failed or ended. A file system may hold an agent up
  /// for a while, most of all when every rank has just written to it.
  std::int64_t silent_at_end_ns = 30'000'000'000;
  /// How long nodes that were present are waited for when all begin again.
  std::int64_t return_ns = 600'000'000'000;
};

/// Limits of a run: limits.stall_s is the first of them, within what makes sense for a dead agent.
NodeLimits node_limits(double stall_s);

class NodeGroup {
 public:
  /// `met`: all of them were there before, and are waited for as when all begin again.
  explicit NodeGroup(Node nodes, const NodeLimits& limits = {}, bool met = false);

  /// Expects nodes to report from now on that they can begin `attempt`.
  void gather(std::int32_t attempt, std::int64_t now_ns);
  void on_heard(Node node, std::int64_t now_ns);
  /// `reached`: it could connect to where the ranks will meet; `trouble`: why not.
  void on_ready(Node node, const std::string& host, bool reached, const std::string& trouble);
  /// Every node has reached it, or not: see trouble().
  bool gathered() const;
  /// One sentence about the nodes that were not reached or cannot reach; empty: none so far.
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

  /// Returns once per attempt why the ranks of all nodes have to end: somebody failed.
  std::optional<std::string> take_failure();
  /// Every node has ended or is gone.
  bool over() const;
  /// An agent of the attempt is not heard any more.
  bool lost_a_node() const;
  /// Outcome of the run: valid when over.
  NodeOutcome outcome() const;

 private:
  struct Member {
    std::string host;
    bool there = false;  // ready for the attempt that is gathered
    bool reached = false;
    bool ended = false;
    bool gone = false;
    bool gone_first = false;  // before anybody failed on their own; it may have come back
    std::string trouble;
    std::int64_t heard_ns = 0;
    NodeOutcome outcome;
    bool left_first = false;  // its ranks ended in good order before anybody failed
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

  std::vector<Member> members_;  // that of node 0 holds how it ended itself
  NodeLimits limits_;
  std::int32_t attempt_ = 0;
  std::int64_t gathers_ns_ = 0;  // since then
  bool again_ = false;           // all were there before
  bool running_ = false;
  bool ending_ = false;
  bool told_failure_ = false;
  std::optional<std::string> failure_;
  std::vector<Node> failed_;          // in the order in which it was heard
  std::int64_t failed_ns_ = kNotYet;  // when somebody first failed who does not blame a peer
};

}  // namespace ringside::agent
