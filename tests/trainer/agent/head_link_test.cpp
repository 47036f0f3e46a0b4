// Connection of node 0 to the others with real sockets: lost messages are sent again.
#include "trainer/agent/nodes/head_link.h"

#include <algorithm>

#include "protocol/messages/asker.h"
#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "trainer/agent/nodes/member_link.h"
#include "trainer/agent/processes/reserved_port.h"

namespace ringside::agent {
namespace {

using wire::NodeMessage;
using Kind = NodeMessage::Kind;

struct HeadLinkRig {
  HeadLinkRig()
      : head(std::move(*HeadLink::open(*agent.authenticator, {"lo", "127.0.0.1", true}))),
        endpoint(agent.endpoint) {
    endpoint.node_endpoint = head->endpoint();
    head->expect(endpoint.run_token, 2);
    client.emplace(std::move(*wire::NodeClient::connect(endpoint, 1)));
  }

  void gather() { head->gather(endpoint.run_token, 2, {}, 0, {"127.0.0.1", 4711}, mono_now_ns()); }

  /// Lets node 1 send the message until `done`; messages for it are in `told`.
  template <class Done>
  bool until(Done done) {
    const std::int64_t deadline_ns = mono_now_ns() + wire::kTimeoutNs;
    while (mono_now_ns() < deadline_ns) {
      agent.turn();
      (void)head->serve(mono_now_ns());
      while (client) {
        const auto message = client->receive();
        if (!message) break;
        told.push_back(*message);
      }
      if (done()) return true;
      agent.turn(2'000'000);
    }
    return false;
  }

  bool hears(Kind kind, const NodeMessage& said) {
    told.clear();
    client->send(said);
    return until([&] {
      return std::any_of(told.begin(), told.end(),
                         [kind](const NodeMessage& message) { return message.kind == kind; });
    });
  }

  void begin() {
    gather();
    client->send(encode(Ready{"b", "", true, true}, 1));
    REQUIRE(until([&] { return head->group().gathered(); }));
    head->begin(mono_now_ns());
  }

  wire::TestAgent agent;
  std::unique_ptr<HeadLink> head;
  wire::AgentEndpoint endpoint;
  std::optional<wire::NodeClient> client;
  std::vector<NodeMessage> told;
};

}  // namespace

TEST_CASE("a stop request before the run is gathered is kept") {
  HeadLinkRig rig;
  rig.client->send(encode(StopOrder{EndHow::kNow, "SIGINT"}, 1));
  REQUIRE(rig.hears(Kind::kPong, {Kind::kPing, 1, 0, 0, ""}));
  CHECK_FALSE(rig.head->take_stop());
  rig.gather();
  const auto asked = rig.head->take_stop();
  REQUIRE(asked);
  CHECK(asked->who == "SIGINT on node 1");
  CHECK(asked->now);
}

TEST_CASE("a node that missed a message gets it again") {
  HeadLinkRig rig;
  rig.begin();
  const NodeMessage ping{Kind::kPing, 1, 0, 0, ""};
  const NodeMessage ready = encode(Ready{"b", "", true, true}, 1);
  CHECK(rig.hears(Kind::kBegin, ready));
  CHECK(rig.hears(Kind::kBegin, ready));
  rig.head->stop(messages::kAsker, false);
  CHECK(rig.hears(Kind::kEndRanks, ping));
  CHECK(rig.hears(Kind::kEndRanks, ping));
  rig.head->close({messages::State::kStopped, "asked by Ringside's window or a command"});
  const NodeMessage over =
      encode(Over{{messages::State::kStopped, "asked by Ringside's window or a command"}}, 1);
  CHECK(rig.hears(Kind::kClose, over));
  REQUIRE(rig.hears(Kind::kClose, over));
  CHECK(std::get<Close>(*decode_to_member(rig.told.back())).text ==
        "asked by Ringside's window or a command");
}

TEST_CASE("R16: a node that cannot reach the rendezvous address is named with address and reason") {
  HeadLinkRig rig;
  rig.client.reset();
  const TempFolder temp;
  const runlog::RunFolder folder(temp.path());
  REQUIRE(wire::write_agent_endpoint(folder.agent_path(), rig.endpoint));
  wire::Poller poller;
  MemberLink member(folder, 1, {}, poller, 7);
  const auto comes = [&](const auto& is_so) {
    return rig.until([&] {
      member.serve(mono_now_ns());
      (void)member.clock_sync(mono_now_ns());  // it reports only after the clock offset is known
      return is_so();
    });
  };
  auto port = ReservedPort::take();
  REQUIRE(port);
  const std::string place = "127.0.0.1:" + std::to_string(port->port());
  const RendezvousAddress meeting{"127.0.0.1", port->port()};
  const bool listens = GENERATE(true, false);
  if (listens) REQUIRE(port->open());
  rig.head->gather(rig.endpoint.run_token, 2, {}, 0, meeting, mono_now_ns());
  const auto& group = rig.head->group();
  CHECK(comes([&] { return listens ? group.gathered() : !group.trouble().empty(); }));
  INFO(group.trouble());
  CHECK(group.trouble().empty() == listens);
  if (listens) return;
  CHECK(group.trouble().find("node 1") == 0);
  CHECK(group.trouble().find("does not reach node 0 at " + place) != std::string::npos);
  CHECK(group.trouble().find("devices.interface") != std::string::npos);
}

TEST_CASE("a node that cannot begin is named, whether or not its run is gathered yet") {
  HeadLinkRig rig;
  const NodeMessage cannot = encode(Cannot{"b", "cannot begin: why"}, 1);
  const bool gathered = GENERATE(true, false);
  if (gathered) rig.gather();
  rig.client->send(cannot);
  REQUIRE(rig.hears(Kind::kPong, {Kind::kPing, 1, 0, 0, ""}));
  CHECK(rig.head->cannot(rig.endpoint.run_token) == "node 1 (b) cannot begin: why");
  CHECK(rig.head->cannot(rig.endpoint.run_token + 1).empty());
  if (!gathered) rig.gather();
  CHECK(rig.head->group().trouble() == "node 1 (b) cannot begin: why");
  // Another agent of that node, which can begin.
  rig.client->send(encode(Ready{"b", "", true, true}, 1));
  CHECK(rig.until([&] { return rig.head->group().gathered(); }));
  CHECK(rig.head->cannot(rig.endpoint.run_token).empty());
}

TEST_CASE("a node in the queue is told when it is its turn, and told again if it missed it") {
  HeadLinkRig rig;
  const auto ready = [](bool devices) { return encode(Ready{"b", "", devices}, 1); };
  rig.head->line_up(2, wire::kTimeoutNs);
  rig.head->line()->on_ready(0, "a", false, mono_now_ns());
  rig.client->send(ready(false));
  REQUIRE(rig.hears(Kind::kPong, {Kind::kPing, 1, 0, 0, ""}));
  REQUIRE(rig.told.size() == 1);
  rig.head->line()->on_ready(0, "a", true, mono_now_ns());
  REQUIRE(rig.hears(Kind::kQueue, {Kind::kPing, 1, 0, 0, ""}));
  CHECK(rig.hears(Kind::kQueue, ready(false)));
  rig.client->send(encode(StopOrder{EndHow::kNow, "SIGINT"}, 1));
  rig.client->send(ready(true));
  REQUIRE(rig.until([&] { return rig.head->line()->complete(); }));
  CHECK(rig.head->take_stop()->who == "SIGINT on node 1");
  rig.head->leave_line();
  CHECK(rig.head->line() == nullptr);
  // Another agent of the node has no devices yet, so it does not get the rendezvous address.
  rig.gather();
  CHECK(rig.hears(Kind::kQueue, ready(false)));
  CHECK(rig.hears(Kind::kTry, ready(true)));
}

TEST_CASE("a message that a node left in a file is handled like one that it sent") {
  HeadLinkRig rig;
  NodeMessage left = encode(Cannot{"b", "cannot begin: why"}, 1);
  left.run_token = rig.endpoint.run_token;
  const bool gathered = GENERATE(true, false);
  if (gathered) rig.gather();
  rig.head->hear(left, mono_now_ns());
  CHECK(rig.head->cannot(rig.endpoint.run_token) == "node 1 (b) cannot begin: why");
  if (!gathered) rig.gather();
  CHECK(rig.head->group().trouble() == "node 1 (b) cannot begin: why");
  CHECK_FALSE(rig.head->has_told_end(rig.endpoint.run_token));
  rig.head->close({messages::State::kFailed, "node 1 (b) cannot begin: why"});
  CHECK(rig.head->has_told_end(rig.endpoint.run_token));
}

TEST_CASE("a restarted agent that cannot begin ends the running attempt") {
  HeadLinkRig rig;
  rig.begin();
  rig.client->send(encode(Cannot{"b", "cannot begin: why"}, 1));
  std::optional<std::string> failed;
  REQUIRE(rig.until([&] {
    failed = rig.head->group().take_failure();
    return failed || !rig.head->group().runs(1);
  }));
  CHECK_FALSE(rig.head->group().runs(1));
}

}  // namespace ringside::agent
