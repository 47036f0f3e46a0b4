// Promise S1: nothing listens off this host.
#include <unistd.h>

#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"
#include "tests/support/listening.h"

namespace ringside::wire {
namespace {

using testing::listening;

TEST_CASE("S1: an agent listens on two loopback ports and nowhere else") {
  const TestAgent agent;
  const auto addresses = listening(::getpid());
  REQUIRE(addresses.size() == 2);
  for (const auto& address : addresses) CHECK(address.substr(0, 9) == "0100007F:");
  CHECK(agent.endpoint.telemetry_endpoint.starts_with("tcp://127.0.0.1:"));
  CHECK(agent.endpoint.viewer_endpoint.starts_with("tcp://127.0.0.1:"));
  CHECK(agent.endpoint.telemetry_endpoint != agent.endpoint.viewer_endpoint);
}

TEST_CASE("S1: a rank and a viewer listen nowhere") {
  AgentEndpoint endpoint;
  {
    TestAgent agent;
    endpoint = agent.endpoint;
  }
  const auto sender = TelemetrySender::connect(endpoint, 0, 0, 0);
  const auto viewer = FollowClient::connect(endpoint);
  REQUIRE(sender);
  REQUIRE(viewer);
  CHECK(listening(::getpid()).empty());
}

}  // namespace
}  // namespace ringside::wire
