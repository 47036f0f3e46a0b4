// A port that is reserved and can be tested.
#include "trainer/agent/processes/reserved_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protocol/host/network.h"
#include "tests/support/catch.h"
#include "tests/support/nobody.h"

namespace ringside::agent {
namespace {

// Listens like torch's store: returns 1 if that succeeds, 0 if the port is taken.
int listen_at(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool listens =
      ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(fd, 1) == 0;
  ::close(fd);
  return listens ? 1 : 0;
}

}  // namespace

TEST_CASE("a reserved port accepts connections only while it is open") {
  constexpr std::int64_t kTimeoutNs = 5'000'000'000;
  auto port = ReservedPort::take();
  REQUIRE(port);
  CHECK(port->address() == "127.0.0.1");
  CHECK_FALSE(reach("127.0.0.1", port->port(), kTimeoutNs));
  REQUIRE(port->open());
  REQUIRE(port->open());  // already open
  CHECK(reach("127.0.0.1", port->port(), kTimeoutNs));
  CHECK(reach("127.0.0.1", port->port(), kTimeoutNs));
  port->shut();
  CHECK_FALSE(reach("127.0.0.1", port->port(), kTimeoutNs));
  CHECK(port->open());
}

TEST_CASE("S2: another user cannot take a port that is open") {
  if (!testing::can_become_nobody()) return;
  auto port = ReservedPort::take();
  REQUIRE(port);
  REQUIRE(port->open());
  CHECK(port->listener() >= 0);
  const auto take = [&] { return listen_at(port->port()); };
  CHECK(testing::as_nobody(take) == 0);
  port->shut();
  CHECK(port->listener() < 0);
  CHECK(testing::as_nobody(take) == 1);  // the result if the port were free
}

TEST_CASE("an address that this host does not have is reported") {
  const auto port = ReservedPort::take("192.0.2.1");  // an address for documentation: RFC 5737
  REQUIRE_FALSE(port);
  CHECK(port.error().message.find("192.0.2.1") != std::string::npos);
}

}  // namespace ringside::agent
