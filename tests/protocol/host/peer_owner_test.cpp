#include "protocol/host/peer_owner.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "protocol/host/network.h"

#include "tests/support/catch.h"
#include "tests/support/nobody.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// A listening socket of the given family, on loopback unless another IPv4 address is given, and its
// address.
struct TestListener {
  explicit TestListener(sa_family_t family, in_addr_t at = htonl(INADDR_LOOPBACK))
      : fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    where.ss_family = family;
    if (family == AF_INET) {
      sockaddr_in in{};
      in.sin_family = family;
      in.sin_addr.s_addr = at;
      std::memcpy(&where, &in, sizeof in);
    } else {
      sockaddr_in6 in{};
      in.sin6_family = family;
      in.sin6_addr = in6addr_loopback;
      std::memcpy(&where, &in, sizeof in);
    }
    listens = ::bind(fd, address(), size) == 0 && ::listen(fd, 8) == 0 &&
              ::getsockname(fd, address(), &size) == 0;
  }
  TestListener(const TestListener&) = delete;
  TestListener& operator=(const TestListener&) = delete;
  ~TestListener() { ::close(fd); }

  sockaddr* address() { return reinterpret_cast<sockaddr*>(&where); }
  int call() {
    const int caller = ::socket(where.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(caller, address(), size) == 0) return caller;
    ::close(caller);
    return -1;
  }

  int fd;
  sockaddr_storage where{};
  socklen_t size = sizeof where;
  bool listens = false;
};

bool accepted_is_ours(TestListener& listener) {
  const int fd = ::accept(listener.fd, nullptr, nullptr);
  REQUIRE(fd >= 0);
  const bool ours = peer_is_ours(fd);
  ::close(fd);
  return ours;
}

bool told_of_owners() {
  if (knows_peer_owners()) return true;
  std::cout << "SKIPPED: this kernel does not tell whose a socket is\n";
  return false;
}

sockaddr_storage end_at(const char* address, in_port_t port) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_port = port;
  REQUIRE(::inet_pton(AF_INET, address, &in.sin_addr) == 1);
  sockaddr_storage end{};
  std::memcpy(&end, &in, sizeof in);
  return end;
}

in_port_t port_of(const sockaddr_storage& where) {
  sockaddr_in in{};
  std::memcpy(&in, &where, sizeof in);
  return in.sin_port;
}

// An address of this host on a network.
std::optional<std::string> address_on_a_network() {
  const auto all = network_interfaces();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [](const NetworkInterface& one) { return !one.loopback; });
  if (found != all.end()) return found->address;
  std::cout << "SKIPPED: this host has no interface but loopback\n";
  return std::nullopt;
}

// A listener of another user, for the lifetime of the object.
class NobodysListener {
 public:
  NobodysListener(sa_family_t family, in_addr_t at) {
    REQUIRE(::pipe(told_.data()) == 0);
    REQUIRE(::pipe(hold_.data()) == 0);
    pid_ = start_as_nobody([&] {
      ::close(hold_[1]);
      TestListener theirs(family, at);
      char end = 0;
      const bool told = ::write(told_[1], &theirs.where, sizeof theirs.where) > 0;
      return theirs.listens && told && ::read(hold_[0], &end, 1) == 0 ? 0 : 1;
    });
    REQUIRE(::read(told_[0], &where, sizeof where) == sizeof where);
  }
  NobodysListener(const NobodysListener&) = delete;
  NobodysListener& operator=(const NobodysListener&) = delete;
  ~NobodysListener() {
    ::close(hold_[1]);
    CHECK(wait_for_nobody(pid_) == 0);
    for (const int fd : {told_[0], told_[1], hold_[0]}) ::close(fd);
  }

  sockaddr_storage where{};

 private:
  std::array<int, 2> told_{};
  std::array<int, 2> hold_{};
  pid_t pid_ = -1;
};

bool is_ours(const sockaddr_storage& where) {
  return listener_is_ours(reinterpret_cast<const sockaddr*>(&where), sizeof where);
}

}  // namespace

TEST_CASE("S2: the peer of our own connection is ours until it closes") {
  if (!told_of_owners()) return;
  const auto family = GENERATE(as<sa_family_t>{}, AF_INET, AF_INET6);
  TestListener listener(family);
  if (!listener.listens) {
    std::cout << "SKIPPED: no IPv6 on loopback\n";
    return;
  }
  const int caller = listener.call();
  CHECK(accepted_is_ours(listener));
  ::close(listener.call());
  CHECK_FALSE(accepted_is_ours(listener));
  ::close(caller);
}

TEST_CASE("S2: the owner of an IPv4 peer of an IPv6 socket is found") {
  if (!told_of_owners()) return;
  const int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  socklen_t size = sizeof any;
  const int off = 0;
  ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&any), size) != 0) {
    std::cout << "SKIPPED: no IPv6\n";
    return;
  }
  REQUIRE(::listen(fd, 1) == 0);
  REQUIRE(::getsockname(fd, reinterpret_cast<sockaddr*>(&any), &size) == 0);
  sockaddr_in loopback{};
  loopback.sin_family = AF_INET;
  loopback.sin_port = any.sin6_port;
  loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int caller = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(::connect(caller, reinterpret_cast<sockaddr*>(&loopback), sizeof loopback) == 0);
  const int accepted = ::accept(fd, nullptr, nullptr);
  CHECK(peer_is_ours(accepted));
  ::close(caller);
  CHECK_FALSE(peer_is_ours(accepted));
  ::close(accepted);
  ::close(fd);
}

TEST_CASE("S2: another user's connection is not ours, open or closed") {
  if (!told_of_owners()) return;
  if (!can_become_nobody()) return;
  TestListener listener(AF_INET);
  std::array<int, 2> hold{};
  REQUIRE(::pipe(hold.data()) == 0);
  const pid_t nobody = start_as_nobody([&] {
    ::close(hold[1]);
    ::close(listener.call());
    const bool open = listener.call() >= 0;
    char end = 0;
    return open && ::read(hold[0], &end, 1) == 0 ? 0 : 1;
  });
  CHECK_FALSE(accepted_is_ours(listener));
  CHECK_FALSE(accepted_is_ours(listener));
  ::close(hold[1]);
  CHECK(wait_for_nobody(nobody) == 0);
  ::close(hold[0]);
}

TEST_CASE("S2: the owner of a loopback listener is found before connecting") {
  if (!told_of_owners()) return;
  const auto family = GENERATE(as<sa_family_t>{}, AF_INET, AF_INET6);
  TestListener ours(family);
  if (!ours.listens) {
    std::cout << "SKIPPED: no IPv6 on loopback\n";
    return;
  }
  CHECK(listener_is_ours(ours.address(), ours.size));
  // A connection to the listener, and the connection's port, are not listeners.
  const int caller = ours.call();
  CHECK(listener_is_ours(ours.address(), ours.size));
  ::close(caller);
  ::close(std::exchange(ours.fd, -1));
  CHECK(listener_is_ours(ours.address(), ours.size));
  const sockaddr_storage remote = end_at("203.0.113.9", htons(1));
  CHECK(listener_is_ours(reinterpret_cast<const sockaddr*>(&remote), sizeof(sockaddr_in)));
  CHECK(listener_is_ours(nullptr, 0));
  if (!can_become_nobody()) return;
  const NobodysListener theirs(family, htonl(INADDR_LOOPBACK));
  CHECK_FALSE(is_ours(theirs.where));
}

TEST_CASE("S2: the owner of a listener on an interface of this host is found") {
  if (!told_of_owners() || !can_become_nobody()) return;
  const auto address = address_on_a_network();
  if (!address) return;
  in_addr at{};
  REQUIRE(::inet_pton(AF_INET, address->c_str(), &at) == 1);
  const TestListener ours(AF_INET, at.s_addr);
  REQUIRE(ours.listens);
  CHECK(is_ours(ours.where));
  const NobodysListener theirs(AF_INET, at.s_addr);
  CHECK_FALSE(is_ours(theirs.where));
  // A listener on all addresses listens at the interface's address, but not at another host's.
  const NobodysListener everywhere(AF_INET, htonl(INADDR_ANY));
  const in_port_t port = port_of(everywhere.where);
  CHECK_FALSE(is_ours(end_at(address->c_str(), port)));
  CHECK(is_ours(end_at("203.0.113.9", port)));
}

TEST_CASE("S2: a closed peer is not ours if its address belongs to this host") {
  if (!told_of_owners()) return;
  const auto address = address_on_a_network();
  if (!address) return;
  CHECK_FALSE(
      peer_is_ours(end_at(address->c_str(), htons(1)), end_at("198.51.100.7", htons(29500))));
  CHECK(peer_is_ours(end_at("203.0.113.9", htons(1)), end_at("198.51.100.7", htons(29500))));
}

TEST_CASE("S2: a peer on another host is not confused with a local listener on the same port") {
  if (!told_of_owners()) return;
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  socklen_t size = sizeof any;
  REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&any), size) == 0);
  REQUIRE(::listen(listener, 1) == 0);
  REQUIRE(::getsockname(listener, reinterpret_cast<sockaddr*>(&any), &size) == 0);
  CHECK(peer_is_ours(end_at("203.0.113.9", any.sin_port), end_at("198.51.100.7", htons(29500))));
  CHECK_FALSE(peer_is_ours(end_at("127.0.0.1", any.sin_port), end_at("127.0.0.1", htons(29500))));
  ::close(listener);
}

TEST_CASE("the peer of a Unix socket is not checked") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  CHECK(peer_is_ours(ends[0]));
  for (const int fd : ends) ::close(fd);
}
