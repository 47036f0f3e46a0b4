// Messages between the agents of a run on several nodes: node 0 listens on the chosen interface,
// the others connect with the keys in its agent.json. FORMAT.md lists the frames. Pings are
// answered here. Each end is used by one thread; the Authenticator must outlive the server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/wire/agent_endpoint.h"
#include "protocol/wire/authenticator.h"
#include "protocol/wire/poll_handle.h"

namespace ringside::wire {

struct NodeMessage {
  enum class Kind : std::uint16_t {  // frame numbers
    kPing = 32,                      ///< to node 0; already answered
    kPong,       ///< from node 0: sent_ns and received_ns of this node, peer_ns of node 0
    kReady,      ///< to node 0
    kTry,        ///< from node 0
    kBegin,      ///< from node 0
    kOver,       ///< to node 0
    kEndRanks,   ///< from node 0
    kClose,      ///< from node 0
    kStopOrder,  ///< to node 0
    kCannot,     ///< to node 0
    kQueue,      ///< from node 0
  };
  Kind kind = Kind::kPing;
  Node node = 0;  ///< the node other than node 0
  std::int32_t attempt = 0;
  std::uint32_t count = 0;
  std::string text = {};
  std::uint64_t run_token = 0;
  std::int64_t sent_ns = 0;
  std::int64_t peer_ns = 0;
  std::int64_t received_ns = 0;
};

class NodeServer {
 public:
  /// Listens on `address` only, on a port that the system chooses.
  static Result<std::unique_ptr<NodeServer>> open(Authenticator& authenticator,
                                                  const std::string& address);
  ~NodeServer();
  NodeServer(const NodeServer&) = delete;
  NodeServer& operator=(const NodeServer&) = delete;

  std::string endpoint() const;  ///< tcp://ADDRESS:PORT
  PollHandle poll_handle() const;
  /// Accepts messages of nodes 1 .. nodes - 1 of this run from now on; drops those of other runs.
  void expect(std::uint64_t run_token, Node nodes);
  /// The next message, or empty when none is pending; never blocks.
  std::optional<NodeMessage> receive();
  /// Sends to `node` of the run with the message's token. False when that node has not connected
  /// yet or is gone.
  bool send(const NodeMessage& message);

 private:
  struct Impl;
  explicit NodeServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class NodeClient {
 public:
  /// Starts connecting to node 0 and returns at once. Fails when its agent has no address for other
  /// nodes.
  static Result<NodeClient> connect(const AgentEndpoint& of_node_0, Node node);
  NodeClient(NodeClient&&) noexcept;
  NodeClient& operator=(NodeClient&&) noexcept;
  ~NodeClient();

  PollHandle poll_handle() const;
  void ping();
  void send(const NodeMessage& message);
  std::optional<NodeMessage> receive();

 private:
  struct Impl;
  explicit NodeClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::wire
