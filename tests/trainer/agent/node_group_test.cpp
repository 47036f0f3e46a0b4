// How node 0 decides that an attempt over several nodes begins and ends.
#include "trainer/agent/nodes/node_group.h"

#include <csignal>

#include "tests/support/catch.h"

namespace ringside::agent {
namespace {

using messages::State;

constexpr std::int64_t kNodeGroupSecondNs = 1'000'000'000;

NodeOutcome finished() { return {State::kFinished, "", true, {}, false}; }
NodeOutcome failed(const std::string& text, bool blames = false) {
  return {State::kFailed, text, true, {1, 0}, blames};
}

NodeOutcome aborted(const std::string& rank) {
  return {State::kFailed, rank + ": killed by SIGABRT", true, {-1, SIGABRT}, false};
}

/// Three nodes that began attempt 0 at second 0.
NodeGroup running() {
  NodeGroup group(3);
  group.gather(0, 0);
  group.on_ready(1, "b", true, "");
  group.on_ready(2, "c", true, "");
  REQUIRE(group.gathered());
  group.begin(0);
  return group;
}

}  // namespace

TEST_CASE("R16: an attempt begins when every node has reached the rendezvous address") {
  NodeGroup group(3);
  group.gather(0, 0);
  CHECK(group.waiting_for() == "waits for nodes 1 and 2 of 3");
  group.on_ready(2, "c", false, "");
  CHECK(group.waiting_for() == "waits for node 1 of 3");
  CHECK_FALSE(group.gathered());
  group.on_ready(1, "b", true, "");
  CHECK_FALSE(group.gathered());
  group.on_ready(2, "c", true, "");
  CHECK(group.gathered());
  CHECK(group.trouble().empty());
  CHECK_FALSE(group.over());
}

TEST_CASE("R16: a node that cannot reach the rendezvous address is named") {
  NodeGroup group(2);
  group.gather(0, 0);
  group.on_ready(1, "b", true, "does not reach node 0 at 10.0.0.1:4711: Connection refused");
  CHECK_FALSE(group.gathered());
  CHECK(group.trouble() == "node 1 (b) does not reach node 0 at 10.0.0.1:4711: Connection refused");
}

TEST_CASE("a run has finished when all nodes have") {
  NodeGroup group = running();
  group.on_own_over(finished(), kNodeGroupSecondNs);
  group.on_over(1, 0, finished(), 2 * kNodeGroupSecondNs);
  CHECK_FALSE(group.over());
  group.on_over(2, 0, finished(), 3 * kNodeGroupSecondNs);
  CHECK(group.over());
  CHECK(group.outcome().state == State::kFinished);
  CHECK_FALSE(group.take_failure());
}

TEST_CASE("the first failure ends all nodes once, and its node is named") {
  NodeGroup group = running();
  group.on_over(1, 0, failed("rank 2: exit code 1"), kNodeGroupSecondNs);
  const auto why = group.take_failure();
  REQUIRE(why);
  CHECK(*why == "node 1 (b): rank 2: exit code 1");
  CHECK_FALSE(group.take_failure());
  group.on_own_over({State::kStopped, *why, true, {}, false}, kNodeGroupSecondNs);
  group.on_over(2, 0, {State::kStopped, *why, true, {}, false}, 2 * kNodeGroupSecondNs);
  REQUIRE(group.over());
  CHECK(group.outcome().state == State::kFailed);
  CHECK(group.outcome().text == "node 1 (b): rank 2: exit code 1");
  CHECK(group.outcome().status.exit_code == 1);
}

TEST_CASE("a node that only reports a broken connection is not the cause") {
  NodeGroup group = running();
  group.on_own_failure({true, {1, 0}, "rank 0: Connection closed by peer"}, true,
                       kNodeGroupSecondNs);
  group.on_own_over(failed("rank 0: Connection closed by peer", true), kNodeGroupSecondNs);
  group.on_over(2, 0, failed("rank 4: Connection closed by peer", true), kNodeGroupSecondNs);
  group.on_over(1, 0, failed("rank 2: killed by SIGKILL"), 2 * kNodeGroupSecondNs);
  REQUIRE(group.over());
  CHECK(group.outcome().text == "node 1 (b): rank 2: killed by SIGKILL");
}

TEST_CASE("R15: a node whose agent died is named, not the nodes that lost its ranks") {
  NodeGroup group = running();
  group.on_message(1, 10 * kNodeGroupSecondNs);
  group.on_message(2, 10 * kNodeGroupSecondNs);
  group.on_own_failure({true, {1, 0}, "rank 0: Connection closed by peer"}, true,
                       11 * kNodeGroupSecondNs);
  group.on_own_over(failed("rank 0: Connection closed by peer", true), 11 * kNodeGroupSecondNs);
  group.on_message(2, 12 * kNodeGroupSecondNs);
  group.on_over(2, 0, failed("rank 4: Connection closed by peer", true), 12 * kNodeGroupSecondNs);
  group.on_tick(25 * kNodeGroupSecondNs);
  CHECK_FALSE(group.over());
  group.on_message(2, 40 * kNodeGroupSecondNs);
  group.on_tick(40 * kNodeGroupSecondNs);
  REQUIRE(group.over());
  CHECK(group.outcome().state == State::kFailed);
  CHECK(group.outcome().text.find("node 1 (b): no message came from its agent") == 0);
}

TEST_CASE("a node that is gone is named, not a rank that was aborted while waiting for it") {
  NodeGroup group = running();
  group.on_message(1, 10 * kNodeGroupSecondNs);
  const NodeOutcome own = aborted("rank 0");
  group.on_own_failure({true, own.status, own.text}, false, 12 * kNodeGroupSecondNs);
  group.on_own_over(own, 13 * kNodeGroupSecondNs);
  group.on_over(2, 0, aborted("rank 4"), 14 * kNodeGroupSecondNs);
  group.on_tick(50 * kNodeGroupSecondNs);
  const bool comes_back = GENERATE(false, true);
  if (comes_back)
    group.on_over(1, 0, {State::kStopped, "", true, {}, false}, 51 * kNodeGroupSecondNs);
  REQUIRE(group.over());
  CHECK(group.outcome().state == State::kFailed);
  CHECK(group.outcome().text.find("node 1 (b): no message came from its agent") == 0);
  CHECK(group.outcome().status.signal == 0);
  CHECK(group.outcome().started);
}

TEST_CASE("a node that was alive after a failure is not its cause") {
  NodeGroup group = running();
  group.on_own_failure({true, {1, 0}, "rank 0: exit code 1: out of memory"}, false,
                       12 * kNodeGroupSecondNs);
  group.on_own_over(failed("rank 0: exit code 1: out of memory"), 13 * kNodeGroupSecondNs);
  group.on_over(2, 0, failed("rank 4: Connection closed by peer", true), 13 * kNodeGroupSecondNs);
  const bool lived_on = GENERATE(false, true);
  // Pings come once per second: one that was in transit proves nothing.
  group.on_message(1, 12 * kNodeGroupSecondNs + (lived_on ? 2 : 1) * kNodeGroupSecondNs);
  group.on_tick(50 * kNodeGroupSecondNs);
  REQUIRE(group.over());
  CHECK(group.outcome().state == State::kFailed);
  CHECK(group.outcome().text.starts_with(lived_on ? "node 0: rank 0: exit code 1"
                                                  : "node 1 (b): no message came"));
}

TEST_CASE("losing a node in one attempt does not affect the next") {
  NodeGroup group = running();
  group.on_message(2, 60 * kNodeGroupSecondNs);
  group.on_tick(61 * kNodeGroupSecondNs);
  group.gather(1, 62 * kNodeGroupSecondNs);
  group.begin(70 * kNodeGroupSecondNs);
  group.on_own_over(failed("rank 0: exit code 1"), 71 * kNodeGroupSecondNs);
  group.on_over(1, 1, failed("rank 2: exit code 1"), 72 * kNodeGroupSecondNs);
  group.on_over(2, 1, {State::kStopped, "", true, {}, false}, 72 * kNodeGroupSecondNs);
  REQUIRE(group.over());
  CHECK(group.outcome().text == "node 0: rank 0: exit code 1");
}

TEST_CASE("an agent may be silent for a while during normal operation") {
  NodeGroup group = running();
  group.on_message(2, 50 * kNodeGroupSecondNs);
  group.on_tick(50 * kNodeGroupSecondNs);
  CHECK_FALSE(group.take_failure());
  group.on_tick(61 * kNodeGroupSecondNs);
  const auto why = group.take_failure();
  REQUIRE(why);
  CHECK(why->find("node 1 (b)") == 0);
}

TEST_CASE("a lost node that returns after the run has failed changes nothing") {
  NodeGroup group = running();
  group.on_message(2, 60 * kNodeGroupSecondNs);
  group.on_tick(61 * kNodeGroupSecondNs);
  const auto why = group.take_failure();
  REQUIRE(why);
  const State state = GENERATE(State::kStopped, State::kFinished);
  group.on_over(1, 0, {state, "ended by another node", true, {}, false}, 62 * kNodeGroupSecondNs);
  group.on_over(2, 0, {State::kStopped, *why, true, {}, false}, 62 * kNodeGroupSecondNs);
  group.on_own_over({State::kStopped, *why, true, {}, false}, 62 * kNodeGroupSecondNs);
  REQUIRE(group.over());
  CHECK(group.outcome().state == State::kFailed);
  CHECK(group.outcome().text == *why);
}

TEST_CASE("the limit of an agent's silence has its own bounds") {
  CHECK(node_limits(1).silent_ns == 10 * kNodeGroupSecondNs);
  CHECK(node_limits(1).silent_at_end_ns == 10 * kNodeGroupSecondNs);
  CHECK(node_limits(45).silent_ns == 45 * kNodeGroupSecondNs);
  CHECK(node_limits(86'400).silent_ns == 60 * kNodeGroupSecondNs);
  CHECK(node_limits(86'400).silent_at_end_ns == 30 * kNodeGroupSecondNs);
}

TEST_CASE("a node that falls silent before all are present is waited for again") {
  NodeGroup group(3);
  group.gather(0, 0);
  group.on_ready(1, "b", true, "");
  group.on_message(1, kNodeGroupSecondNs);
  group.on_tick(60 * kNodeGroupSecondNs);
  CHECK(group.waiting_for() == "waits for node 2 of 3");
  group.on_message(2, 61 * kNodeGroupSecondNs);
  group.on_ready(2, "c", true, "");
  group.on_tick(61 * kNodeGroupSecondNs);
  CHECK_FALSE(group.gathered());
  CHECK(group.waiting_for() == "waits for node 1 of 3");
  group.on_tick(100'000 * kNodeGroupSecondNs);  // people may take any time to start the nodes
  CHECK(group.trouble().empty());
}

TEST_CASE("a node that was present and does not return ends the run") {
  NodeGroup group = running();
  group.on_tick(100 * kNodeGroupSecondNs);
  group.gather(1, 100 * kNodeGroupSecondNs);
  group.on_ready(2, "c", true, "");
  group.on_message(2, 699 * kNodeGroupSecondNs);
  group.on_tick(699 * kNodeGroupSecondNs);
  CHECK(group.trouble().empty());
  group.on_message(2, 700 * kNodeGroupSecondNs);
  group.on_tick(700 * kNodeGroupSecondNs);
  CHECK(group.trouble() == "node 1 (b) did not come back within 600 s");
}

TEST_CASE("a node that is still running at the end is waited for") {
  NodeGroup group = running();
  group.on_own_over(finished(), kNodeGroupSecondNs);
  group.on_over(1, 0, finished(), kNodeGroupSecondNs);
  for (std::int64_t s = 2; s < 100; ++s) {
    group.on_message(2, s * kNodeGroupSecondNs);
    group.on_tick(s * kNodeGroupSecondNs);
  }
  CHECK_FALSE(group.over());
  CHECK_FALSE(group.take_failure());
}

TEST_CASE("R15: a node whose ranks ended in order is named, not the node that waited for them") {
  for (const bool own_reason : {false, true}) {
    NodeGroup group = running();
    group.on_over(2, 0, finished(), kNodeGroupSecondNs);
    group.on_over(1, 0,
                  {State::kFailed, "rank 2: Connection closed by peer", true, {1, 0}, !own_reason},
                  2 * kNodeGroupSecondNs);
    group.on_own_over(finished(), 3 * kNodeGroupSecondNs);
    CHECK(group.outcome().state == State::kFailed);
    CHECK((group.outcome().text.find("node 2 ") == 0) == !own_reason);
    CHECK((group.outcome().text.find(": its ranks ended with exit code 0 while node 1 ") !=
           std::string::npos) == !own_reason);
  }
}

TEST_CASE("processes that did not die take precedence, and a stop is not a failure") {
  NodeGroup group = running();
  const NodeOutcome stopped{State::kStopped, "asked by SIGINT", true, {}, false};
  group.on_own_over(stopped, kNodeGroupSecondNs);
  group.on_over(1, 0, stopped, kNodeGroupSecondNs);
  SECTION("all stopped") {
    group.on_over(2, 0, finished(), kNodeGroupSecondNs);
    CHECK(group.outcome().state == State::kStopped);
    CHECK(group.outcome().text == "asked by SIGINT");
  }
  SECTION("one did not die, and a node is gone") {
    NodeGroup left = running();
    left.on_over(1, 0, {State::kDidNotDie, "rank 2 did not die", true, {}, false},
                 kNodeGroupSecondNs);
    left.on_own_over(stopped, kNodeGroupSecondNs);
    left.on_tick(60 * kNodeGroupSecondNs);
    REQUIRE(left.over());
    CHECK(left.outcome().text == "node 1 (b): rank 2 did not die");
  }
  SECTION("one did not die") {
    group.on_over(2, 0, {State::kDidNotDie, "rank 4 did not die", true, {}, false},
                  kNodeGroupSecondNs);
    CHECK(group.outcome().state == State::kDidNotDie);
    CHECK(group.outcome().text == "node 2 (c): rank 4 did not die");
  }
}

TEST_CASE("the next attempt gathers again, and late messages of the last one are ignored") {
  NodeGroup group = running();
  group.on_over(1, 0, failed("rank 2: exit code 1"), kNodeGroupSecondNs);
  group.gather(1, 2 * kNodeGroupSecondNs);
  CHECK_FALSE(group.gathered());
  CHECK_FALSE(group.take_failure());
  group.on_ready(1, "b", true, "");
  group.on_ready(2, "c", true, "");
  group.begin(3 * kNodeGroupSecondNs);
  group.on_over(2, 0, failed("old"), 4 * kNodeGroupSecondNs);
  CHECK_FALSE(group.take_failure());
}

}  // namespace ringside::agent
