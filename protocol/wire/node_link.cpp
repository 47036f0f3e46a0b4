#include "protocol/wire/node_link.h"

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/wire/authenticator_impl.h"
#include "protocol/wire/frame.h"
#include "protocol/wire/socket.h"

namespace ringside::wire {
namespace {

using Kind = NodeMessage::Kind;

/// Maximum size of a message: a kind and a short text.
constexpr std::int64_t kMostBytes = 64 << 10;
constexpr int kWaiting = 1000;

Frame frame_of(const NodeMessage& message, std::uint64_t run_token) {
  Frame frame;
  frame.kind = static_cast<FrameKind>(message.kind);
  frame.run_token = run_token;
  frame.node = message.node;
  frame.number = static_cast<std::uint64_t>(message.sent_ns);
  frame.offset = static_cast<std::uint64_t>(message.peer_ns);
  frame.count = message.count;
  frame.attempt = message.attempt;
  return frame;
}

std::optional<NodeMessage> message_of(std::span<const std::byte> bytes) {
  Frame frame;
  if (decode_frame(bytes, frame) != FrameVerdict::kGood) return std::nullopt;
  const auto kind = static_cast<Kind>(frame.kind);
  if (kind < Kind::kPing || kind > Kind::kQueue) return std::nullopt;
  NodeMessage message{kind, frame.node, frame.attempt, frame.count};
  const auto payload = bytes.subspan(kFrameBytes);
  message.text.assign(reinterpret_cast<const char*>(payload.data()), payload.size());
  message.run_token = frame.run_token;
  message.sent_ns = static_cast<std::int64_t>(frame.number);
  message.peer_ns = static_cast<std::int64_t>(frame.offset);
  return message;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

struct NodeServer::Impl {
  explicit Impl(Authenticator& owner) : authenticator(owner) {}

  bool send(const NodeMessage& told) {
    const std::string* to = identity_of(told.run_token, told.node);
    return to != nullptr && !to->empty() && socket.send_address(*to) &&
           socket.send_frame(frame_of(told, told.run_token), bytes_of(told.text));
  }

  /// Identity of the node's newest connection, empty before the first; null when there is no such
  /// node.
  std::string* identity_of(std::uint64_t token, Node node) {
    const auto run = runs.find(token);
    const auto at = static_cast<std::size_t>(node);
    return run == runs.end() || node < 1 || at >= run->second.size() ? nullptr : &run->second[at];
  }

  Authenticator& authenticator;
  Socket socket;
  std::map<std::uint64_t, std::vector<std::string>> runs;  // by token: the connections of its nodes
  Message identity;
  Message message;
};

NodeServer::NodeServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NodeServer::~NodeServer() = default;

Result<std::unique_ptr<NodeServer>> NodeServer::open(Authenticator& authenticator,
                                                     const std::string& address) {
  auto impl = std::make_unique<Impl>(authenticator);
  auto socket =
      RINGSIDE_TRY(authenticator.impl().open_router(kMostBytes, kWaiting, kWaiting, address));
  impl->socket = std::move(socket);
  return std::unique_ptr<NodeServer>(new NodeServer(std::move(impl)));
}

std::string NodeServer::endpoint() const { return endpoint_of(impl_->socket); }
PollHandle NodeServer::poll_handle() const { return {impl_->socket.get()}; }

void NodeServer::expect(std::uint64_t run_token, Node nodes) {
  impl_->runs[run_token].assign(static_cast<std::size_t>(nodes), {});
}

std::optional<NodeMessage> NodeServer::receive() {
  Impl& own = *impl_;
  while (own.socket.receive(own.identity)) {
    if (!own.identity.more() || !own.socket.receive(own.message)) continue;
    const std::int64_t now_ns = mono_now_ns();
    if (own.socket.skip_rest(own.message)) continue;
    auto told = message_of(own.message.bytes());
    std::string* known = told ? own.identity_of(told->run_token, told->node) : nullptr;
    if (known == nullptr) continue;
    // A restarted agent replaces the previous one of its node; the lock of its log prevents two
    // from living at a time.
    *known = own.identity.text();
    if (told->kind == Kind::kPing) {
      NodeMessage answer{Kind::kPong, told->node};
      answer.run_token = told->run_token;
      answer.sent_ns = told->sent_ns;
      answer.peer_ns = now_ns;
      own.send(answer);
    }
    return told;
  }
  own.authenticator.serve();
  return std::nullopt;
}

bool NodeServer::send(const NodeMessage& message) { return impl_->send(message); }

struct NodeClient::Impl {
  Context context;  // first, so that it is closed last
  Socket socket;
  Node node = 0;
  std::uint64_t token = 0;
  Message message;
};

NodeClient::NodeClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NodeClient::NodeClient(NodeClient&&) noexcept = default;
NodeClient& NodeClient::operator=(NodeClient&&) noexcept = default;
NodeClient::~NodeClient() = default;

Result<NodeClient> NodeClient::connect(const AgentEndpoint& of_node_0, Node node) {
  if (of_node_0.node_endpoint.empty())
    return failure("the agent of node 0 has no address for other nodes in its agent.json");
  auto impl = std::make_unique<Impl>();
  auto socket = RINGSIDE_TRY(open_dealer(impl->context, of_node_0, of_node_0.node_endpoint));
  impl->socket = std::move(socket);
  impl->socket.set(ZMQ_LINGER, 200);
  impl->node = node;
  impl->token = of_node_0.run_token;
  return NodeClient(std::move(impl));
}

PollHandle NodeClient::poll_handle() const { return {impl_->socket.get()}; }

void NodeClient::ping() {
  NodeMessage message{Kind::kPing};
  message.sent_ns = mono_now_ns();
  send(message);
}

void NodeClient::send(const NodeMessage& message) {
  Frame frame = frame_of(message, impl_->token);
  frame.node = impl_->node;
  // A message that is not sent now is repeated one second later.
  (void)impl_->socket.send_frame(frame, bytes_of(message.text));
}

std::optional<NodeMessage> NodeClient::receive() {
  while (impl_->socket.receive(impl_->message)) {
    const std::int64_t now_ns = mono_now_ns();
    if (impl_->socket.skip_rest(impl_->message)) continue;
    auto told = message_of(impl_->message.bytes());
    if (!told || told->run_token != impl_->token) continue;
    told->received_ns = now_ns;
    return told;
  }
  return std::nullopt;
}

}  // namespace ringside::wire
