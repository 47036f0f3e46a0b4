// Promise S1: nothing listens on addresses that other hosts can reach.
#include <unistd.h>

#include "protocol/host/listening.h"
#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"

namespace ringside::wire {
namespace {

TEST_CASE("S1: an agent listens on two loopback ports only") {
  const TestAgent agent;
  const auto listeners = listeners_of(::getpid());
  REQUIRE(listeners.size() == 2);
  for (const auto& one : listeners) CHECK(one.address == "127.0.0.1");
  CHECK(agent.endpoint.telemetry_endpoint.starts_with("tcp://127.0.0.1:"));
  CHECK(agent.endpoint.viewer_endpoint.starts_with("tcp://127.0.0.1:"));
  CHECK(agent.endpoint.telemetry_endpoint != agent.endpoint.viewer_endpoint);
}

TEST_CASE("S1: a rank and a viewer do not listen") {
  AgentEndpoint endpoint;
  {
    TestAgent agent;
    endpoint = agent.endpoint;
  }
  const auto sender = TelemetrySender::connect(endpoint, 0, 0, 0);
  const auto viewer = ControlClient::connect(endpoint);
  REQUIRE(sender);
  REQUIRE(viewer);
  CHECK(listeners_of(::getpid()).empty());
}

}  // namespace
}  // namespace ringside::wire
