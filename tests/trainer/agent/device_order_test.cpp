// Tests which node queues for the devices of its host, and when.
#include "trainer/agent/nodes/device_order.h"

#include "tests/support/catch.h"

namespace ringside::agent {

TEST_CASE("nodes queue one after the other by host name, once all are present") {
  DeviceOrder order(4, 100);
  order.on_ready(0, "d", false, 0);
  order.on_ready(1, "b", false, 0);
  order.on_ready(3, "c", false, 0);
  CHECK_FALSE(order.next());
  CHECK(order.misses_somebody());
  CHECK(order.waiting_for() == "waits for node 2 of 4");
  order.on_ready(2, "a", false, 0);
  CHECK_FALSE(order.misses_somebody());
  for (const Node node : {2, 1, 3, 0}) {
    CHECK(order.next() == node);
    CHECK_FALSE(order.complete());
    order.on_ready(node, std::string(1, "dbac"[node]), true, 0);
  }
  CHECK(order.complete());
  CHECK_FALSE(order.next());
  CHECK(order.waiting_for().empty());
  CHECK(order.trouble().empty());
}

TEST_CASE("on one host the lower node is first, and the node whose turn it is is named") {
  DeviceOrder order(2, 100);
  order.on_ready(1, "a", false, 0);
  order.on_ready(0, "a", false, 0);
  CHECK(order.next() == 0);
  order.on_ready(0, "a", true, 0);
  CHECK(order.waiting_for() == "waits until node 1 (a) has its devices");
}

TEST_CASE(
    "a node that leaves before its turn is waited for, and one that leaves after it ends the "
    "queueing") {
  DeviceOrder order(2, 100);
  order.on_ready(0, "a", true, 0);
  order.on_ready(1, "b", false, 0);
  order.on_message(1, 50);
  order.on_tick(149);
  CHECK(order.next() == 1);
  order.on_tick(150);
  CHECK_FALSE(order.next());
  CHECK(order.waiting_for() == "waits for node 1 of 2");
  CHECK(order.trouble().empty());
  order.on_ready(1, "b", true, 200);
  CHECK(order.complete());
  SECTION("by silence") { order.on_tick(300); }
  SECTION("by another agent without devices") { order.on_ready(1, "b", false, 210); }
  CHECK_FALSE(order.complete());
  CHECK(order.trouble().starts_with("node 1 (b) left while the others queued"));
}

TEST_CASE("nodes of abandoned runs are not waited for, and unknown nodes are ignored") {
  DeviceOrder order(3, 100);
  order.on_ready(0, "a", true, 0);
  order.on_ready(1, "b", true, 0);
  CHECK_FALSE(order.complete());
  order.keep(2);
  CHECK(order.complete());
  order.on_ready(2, "c", false, 0);
  CHECK(order.complete());
  order.keep(3);
  CHECK(order.complete());
  order.keep(0);
  CHECK(order.complete());
}

}  // namespace ringside::agent
