// Connection of node 0's agent to those of the other nodes: gathers them for an attempt, starts it
// everywhere at once, and receives their reports. NodeGroup interprets them. Used by the agent's
// loop only; the Authenticator must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "protocol/host/network.h"
#include "protocol/wire/authenticator.h"
#include "protocol/wire/node_link.h"
#include "trainer/agent/nodes/device_order.h"
#include "trainer/agent/nodes/node_group.h"
#include "trainer/agent/nodes/node_messages.h"

namespace ringside::agent {

class HeadLink {
 public:
  /// A stop request that the agent of another node received.
  struct AskedStop {
    std::string who;
    bool now = false;
  };

  /// Listens on that interface only.
  static Result<std::unique_ptr<HeadLink>> open(wire::Authenticator& authenticator,
                                                const NetworkInterface& interface);

  const NetworkInterface& interface() const { return interface_; }
  std::string endpoint() const { return server_->endpoint(); }
  wire::PollHandle poll_handle() const { return server_->poll_handle(); }

  /// Accepts messages from the agents of the other nodes of this run.
  void expect(std::uint64_t run_token, Node nodes) { server_->expect(run_token, nodes); }

  /// Makes the agents of all nodes queue for their devices in turn before the first run, until
  /// leave_line().
  void line_up(Node nodes, std::int64_t silent_ns) { line_.emplace(nodes, silent_ns); }
  void leave_line();
  /// Null when no nodes are queueing.
  DeviceOrder* line() { return line_ ? &*line_ : nullptr; }

  /// The run's next attempt is about to begin; `place` is listening now.
  void gather(std::uint64_t run_token, Node nodes, const NodeLimits& limits, std::int32_t attempt,
              const RendezvousAddress& place, std::int64_t now_ns);
  /// The group of the run that was gathered last.
  NodeGroup& group() { return *group_; }
  const NodeGroup& group() const { return *group_; }
  bool has_run() const { return group_.has_value(); }
  /// Handles received messages. Returns, once per attempt, why the ranks of this node must end,
  /// which it also sends to the other nodes.
  [[nodiscard]] std::optional<std::string> serve(std::int64_t now_ns);
  /// Handles one message, received in any way.
  void hear(const wire::NodeMessage& message, std::int64_t now_ns);
  void begin(std::int64_t now_ns);
  void stop(const std::string& who, bool now);
  void close(const NodeOutcome& outcome);
  /// Whether the end of a run that was gathered was sent to its nodes.
  bool has_told_end(std::uint64_t run_token) const { return closed_.contains(run_token); }
  std::optional<AskedStop> take_stop() { return std::exchange(asked_stop_, {}); }
  /// Why a node of this run cannot begin, with its name; empty when none reported that.
  std::string cannot(std::uint64_t run_token) const;

 private:
  HeadLink(std::unique_ptr<wire::NodeServer> server, NetworkInterface interface)
      : server_(std::move(server)), interface_(std::move(interface)) {}
  // One overload per message to node 0, about the run that was gathered last.
  void take(const Ping& ping, const wire::NodeMessage& message, std::int64_t now_ns);
  void take(const Ready& ready, const wire::NodeMessage& message, std::int64_t now_ns);
  void take(const Cannot& cannot, const wire::NodeMessage& message, std::int64_t now_ns);
  void take(const Over& over, const wire::NodeMessage& message, std::int64_t now_ns);
  void take(const StopOrder& stop, const wire::NodeMessage& message, std::int64_t now_ns);
  void note_cannot(const ToHead& said, const wire::NodeMessage& message);
  void take_in_line(const ToHead& said, const wire::NodeMessage& message, std::int64_t now_ns);
  void tell_next();
  void take_of_other_run(const ToHead& said, const wire::NodeMessage& message);
  void order(EndHow how, const std::string& text);
  void tell(Node node, const ToMember& said);
  void tell_all(const ToMember& said);
  bool send(std::uint64_t run_token, wire::NodeMessage message);

  std::unique_ptr<wire::NodeServer> server_;
  NetworkInterface interface_;
  std::optional<NodeGroup> group_;
  std::uint64_t run_token_ = 0;
  Node nodes_ = 0;
  std::int32_t attempt_ = 0;
  RendezvousAddress place_;
  bool gathering_ = false;
  // Messages may be lost with a connection, so these are sent again to a node that did not get
  // them.
  std::optional<EndRanks> order_;                            // for the ranks of this attempt
  std::map<std::uint64_t, Close> closed_;                    // how runs ended, by token
  std::map<std::uint64_t, AskedStop> asked_early_;           // for runs that are not gathered yet
  std::map<std::pair<std::uint64_t, Node>, Cannot> cannot_;  // by run and node
  std::optional<AskedStop> asked_stop_;
  std::optional<DeviceOrder> line_;
  std::map<Node, std::uint64_t> in_line_;  // by node: the run for which it queues
  std::optional<Node> told_;               // the node to which kQueue was last sent
  bool met_ = false;                       // all agents were present
};

}  // namespace ringside::agent
