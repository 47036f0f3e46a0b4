// A port that is kept, and can be tried.
#include "trainer/agent/processes/reserved_port.h"

#include "protocol/base/network.h"
#include "tests/support/catch.h"

namespace ringside::agent {

TEST_CASE("a reserved port is reached only while it is open") {
  constexpr std::int64_t kTimeoutNs = 5'000'000'000;
  auto port = ReservedPort::take();
  REQUIRE(port);
  CHECK(port->address() == "127.0.0.1");
  CHECK_FALSE(reach("127.0.0.1", port->port(), kTimeoutNs));
  REQUIRE(port->open());
  REQUIRE(port->open());  // is open already
  CHECK(reach("127.0.0.1", port->port(), kTimeoutNs));
  CHECK(reach("127.0.0.1", port->port(), kTimeoutNs));
  port->shut();
  CHECK_FALSE(reach("127.0.0.1", port->port(), kTimeoutNs));
  CHECK(port->open());
}

TEST_CASE("an address that this host does not have is named") {
  const auto port = ReservedPort::take("192.0.2.1");  // of documentation: RFC 5737
  REQUIRE_FALSE(port);
  CHECK(port.error().message.find("192.0.2.1") != std::string::npos);
}

}  // namespace ringside::agent
