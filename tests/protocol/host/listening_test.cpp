#include "protocol/host/listening.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "tests/support/catch.h"

using namespace ringside;

namespace {

constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:A2C5 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 "
    "1 0\n"
    "   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 "
    "1 0\n"
    "   2: 0100007F:A2C5 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 13 "
    "1 0\n"
    "   3: 0200000A:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 14 "
    "1 0\n";

constexpr const char* kTable6 =
    "  sl  local_address rem_address st\n"
    "   0: 00000000000000000000000001000000:0050 0:0 0A 0:0 0:0 0 0 0 21 1\n"
    "   1: 00000000000000000000000000000000:0050 0:0 0A 0:0 0:0 0 0 0 22 1\n"
    "   2: 0000000000000000FFFF00000100007F:0050 0:0 0A 0:0 0:0 0 0 0 23 1\n";

using Listeners = std::vector<Listener>;

}  // namespace

TEST_CASE("listening sockets of the given inodes are read from the kernel's tables") {
  CHECK(listeners_in(kTable, {11, 12, 13}) == Listeners{{"127.0.0.1", 0xA2C5}, {"0.0.0.0", 8080}});
  CHECK(listeners_in(kTable, {14}) == Listeners{{"10.0.0.2", 80}});
  CHECK(listeners_in(kTable6, {21, 22, 23}) ==
        Listeners{{"::1", 80}, {"::", 80}, {"127.0.0.1", 80}});
  CHECK(listeners_in(kTable, {}).empty());
}

TEST_CASE("a socket of this process is found where it listens") {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr generic{};
  std::memcpy(&generic, &address, sizeof generic);
  REQUIRE(::bind(fd, &generic, sizeof generic) == 0);
  socklen_t size = sizeof generic;
  REQUIRE(::getsockname(fd, &generic, &size) == 0);
  std::memcpy(&address, &generic, sizeof address);
  const Listener ours{"127.0.0.1", ntohs(address.sin_port)};
  const auto before = listeners_of(::getpid());
  REQUIRE(::listen(fd, 1) == 0);
  const auto after = listeners_of(::getpid());
  CHECK(after.size() == before.size() + 1);
  CHECK(std::count(before.begin(), before.end(), ours) == 0);
  CHECK(std::count(after.begin(), after.end(), ours) == 1);
  ::close(fd);
  CHECK(listeners_of(-1).empty());
}

TEST_CASE("a loopback address is one that only this machine can reach") {
  for (const char* inside : {"127.0.0.1", "127.3.2.1", "::1"}) CHECK(is_loopback(inside));
  for (const char* outside : {"0.0.0.0", "::", "10.0.0.2", "12.7.0.1", ""})
    CHECK_FALSE(is_loopback(outside));
}
