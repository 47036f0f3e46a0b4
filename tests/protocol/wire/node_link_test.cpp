// Connections between agents of several nodes, with real sockets.
#include "protocol/wire/node_link.h"

#include <unistd.h>

#include "protocol/host/listening.h"
#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"

namespace ringside::wire {
namespace {

using Kind = NodeMessage::Kind;

struct Head {
  Head() : server(std::move(*NodeServer::open(*agent.authenticator, "127.0.0.1"))) {
    agent.endpoint.node_endpoint = server->endpoint();
    server->expect(agent.endpoint.run_token, 3);
  }

  /// Receives messages at node 0 until `done`, and meanwhile those for `client`.
  template <class Done>
  bool until(NodeClient& client, Done done) {
    const std::int64_t deadline_ns = mono_now_ns() + kTimeoutNs;
    while (mono_now_ns() < deadline_ns) {
      agent.turn();
      while (auto message = server->receive()) at_head.push_back(*message);
      while (auto message = client.receive()) at_client.push_back(*message);
      if (done()) return true;
      agent.turn(2'000'000);
    }
    return false;
  }

  TestAgent agent;
  std::unique_ptr<NodeServer> server;
  std::vector<NodeMessage> at_head;
  std::vector<NodeMessage> at_client;
};

}  // namespace

TEST_CASE("a ping is answered with the clock of node 0") {
  Head head;
  auto client = NodeClient::connect(head.agent.endpoint, 1);
  REQUIRE(client);
  client->ping();
  REQUIRE(head.until(*client, [&] { return !head.at_client.empty(); }));
  const NodeMessage& pong = head.at_client.front();
  CHECK(pong.kind == Kind::kPong);
  CHECK(pong.sent_ns <= pong.peer_ns);  // both ends use the same clock
  CHECK(pong.peer_ns <= pong.received_ns);
  CHECK(head.at_head.front().node == 1);
}

TEST_CASE(
    "messages are exchanged in both directions with their text, only with the addressed node") {
  Head head;
  auto first = NodeClient::connect(head.agent.endpoint, 1);
  auto second = NodeClient::connect(head.agent.endpoint, 2);
  REQUIRE(first);
  REQUIRE(second);
  CHECK_FALSE(head.server->send({Kind::kBegin, 2, 0, 0, "", head.agent.endpoint.run_token}));
  second->send({Kind::kReady, 0, 4, 1, "{\"host\": \"b\"}"});
  REQUIRE(head.until(*second, [&] { return !head.at_head.empty(); }));
  const NodeMessage& ready = head.at_head.front();
  CHECK(ready.kind == Kind::kReady);
  CHECK(ready.node == 2);
  CHECK(ready.attempt == 4);
  CHECK(ready.count == 1);
  CHECK(ready.text == "{\"host\": \"b\"}");
  CHECK(head.server->send({Kind::kEndRanks, 2, 4, 2, "why", head.agent.endpoint.run_token}));
  REQUIRE(head.until(*second, [&] { return !head.at_client.empty(); }));
  CHECK(head.at_client.front().text == "why");
  CHECK(head.at_client.front().count == 2);
  CHECK_FALSE(first->receive());
}

TEST_CASE("messages of an unexpected node or run are dropped") {
  Head head;
  AgentEndpoint other = head.agent.endpoint;
  other.run_token ^= 1;
  auto foreign = NodeClient::connect(other, 1);
  auto beyond = NodeClient::connect(head.agent.endpoint, 3);
  auto good = NodeClient::connect(head.agent.endpoint, 2);
  foreign->ping();
  beyond->ping();
  REQUIRE(head.until(*good, [&] {
    if (head.at_head.empty()) good->ping();
    return !head.at_head.empty() && head.agent.authenticator->counts().authorized >= 3;
  }));
  REQUIRE(head.until(*good, [&] { return !head.at_client.empty(); }));
  for (const NodeMessage& message : head.at_head) CHECK(message.node == 2);
  CHECK_FALSE(foreign->receive());
  CHECK_FALSE(beyond->receive());
}

TEST_CASE("S5: a wrong key is refused") {
  Head head;
  const TestAgent stranger;
  AgentEndpoint wrong = head.agent.endpoint;
  wrong.client_public_key = stranger.endpoint.client_public_key;
  wrong.client_secret_key = stranger.endpoint.client_secret_key;
  auto client = NodeClient::connect(wrong, 1);
  REQUIRE(client);
  client->ping();
  REQUIRE(head.until(*client, [&] { return head.agent.authenticator->counts().wrong_key > 0; }));
  CHECK(head.at_head.empty());
}

TEST_CASE("node 0 listens only on the chosen address, and an agent without one is reported") {
  Head head;
  CHECK(head.server->endpoint().starts_with("tcp://127.0.0.1:"));
  for (const auto& one : listeners_of(::getpid())) CHECK(one.address == "127.0.0.1");
  AgentEndpoint without = head.agent.endpoint;
  without.node_endpoint.clear();
  CHECK_FALSE(NodeClient::connect(without, 1));
}

}  // namespace ringside::wire
