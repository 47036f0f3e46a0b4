#include "trainer/dist/rendezvous.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <thread>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "protocol/host/listening.h"
#include "protocol/host/peer_owner.h"
#include "tests/support/catch.h"
#include "tests/support/nobody.h"
#include "tests/support/patience.h"
#include "tests/support/temp_folder.h"

using namespace ringside;

namespace {

/// A port, on loopback by default, that no other process gets: bound, not listening, and available
/// to programs that use SO_REUSEADDR, as a store does.
class HeldPort {
 public:
  explicit HeldPort(const std::string& host = "127.0.0.1")
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    REQUIRE(::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    REQUIRE(::inet_pton(AF_INET, host.c_str(), &address.sin_addr) == 1);
    sockaddr generic{};
    std::memcpy(&generic, &address, sizeof generic);
    socklen_t size = sizeof generic;
    REQUIRE(::bind(fd_, &generic, size) == 0);
    REQUIRE(::getsockname(fd_, &generic, &size) == 0);
    std::memcpy(&address, &generic, sizeof address);
    number_ = ntohs(address.sin_port);
  }
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;
  ~HeldPort() { ::close(fd_); }
  int number() const { return number_; }
  int fd() const { return fd_; }

 private:
  int fd_;
  int number_ = 0;
};

// Addresses at which this process listens on `port`.
std::vector<std::string> addresses_with(int port) {
  std::vector<std::string> found;
  for (const Listener& one : listeners_of(::getpid()))
    if (one.port == port) found.push_back(one.address);
  return found;
}

dist::LaunchEnvironment by_hand(int rank, int port) {
  dist::LaunchEnvironment env;
  env.rank = rank;
  env.world_size = 2;
  env.master_addr = "127.0.0.1";
  env.master_port = port;
  return env;
}

}  // namespace

TEST_CASE("S1: ranks connect over TCP, and the store listens only on loopback") {
  const HeldPort held;
  const int port = held.number();
  dist::RendezvousOptions options;
  options.timeout = testing::kPatience;
  Result<c10::intrusive_ptr<c10d::Store>> server = failure("not opened");
  std::thread first([&] { server = dist::open_store(by_hand(0, port), options); });
  const auto client = dist::open_store(by_hand(1, port), options);
  first.join();
  REQUIRE(server);
  REQUIRE(client);
  CHECK(addresses_with(port) == std::vector<std::string>{"127.0.0.1"});
  (*server)->set("word", "hello");
  CHECK((*client)->get_to_str("word") == "hello");
}

TEST_CASE("S1: a store at an address of this host listens only there, whoever started its rank") {
  const auto all = network_interfaces();
  const auto network = std::find_if(all.begin(), all.end(),
                                    [](const NetworkInterface& one) { return !one.loopback; });
  if (network == all.end()) {
    std::cout << "SKIPPED: this host has no interface but loopback\n";
    return;
  }
  const HeldPort held(network->address);
  dist::RendezvousOptions options;
  options.timeout = testing::kPatience;
  auto env = by_hand(0, held.number());
  env.world_size = 1;
  env.master_addr = network->address;
  const auto store = dist::open_store(env, options);
  REQUIRE(store);
  CHECK(addresses_with(held.number()) == std::vector<std::string>{network->address});
}

TEST_CASE("S1: rank 0 uses the first address of a name that belongs to this host") {
  const std::vector<NetworkInterface> own = {
      {"lo", "127.0.0.1", true}, {"eth0", "10.0.0.1", false}, {"ib0", "10.1.0.1", false}};
  using Names = std::vector<std::string>;
  CHECK(dist::own_address(Names{"192.0.2.1", "10.1.0.1", "10.0.0.1"}, own, false) == "10.1.0.1");
  CHECK(dist::own_address(Names{"192.0.2.1"}, own, false).empty());  // a router's address
  CHECK(dist::own_address({}, own, true).empty());
  // Distributions map a host's own name to this address in /etc/hosts, which other hosts cannot
  // use.
  CHECK(dist::own_address(Names{"127.0.1.1", "10.0.0.1"}, own, false) == "10.0.0.1");
  CHECK(dist::own_address(Names{"127.0.1.1"}, own, false).empty());
  CHECK(dist::own_address(Names{"127.0.1.1"}, own, true) == "127.0.1.1");
}

TEST_CASE("Gloo's address is on the route to MASTER_ADDR, and never loopback") {
  for (const NetworkInterface& one : network_interfaces()) {
    INFO(one.name);
    CHECK(dist::address_towards(one.address) == (one.loopback ? "" : one.address));
  }
  CHECK(dist::address_towards("localhost").empty());
}

TEST_CASE("S2: the store takes over the agent's listening socket and its pending connections") {
  const HeldPort held;
  REQUIRE(::listen(held.fd(), 8) == 0);  // from now on nobody else can listen
  dist::RendezvousOptions options;
  options.timeout = testing::kPatience;
  Result<c10::intrusive_ptr<c10d::Store>> client = failure("not opened");
  std::thread second([&] { client = dist::open_store(by_hand(1, held.number()), options); });
  auto env = by_hand(0, held.number());
  env.listen_fd = ::dup(held.fd());
  const auto server = dist::open_store(env, options);
  second.join();
  REQUIRE(server);
  REQUIRE(client);
  (*server)->set("word", "hello");
  CHECK((*client)->get_to_str("word") == "hello");
}

TEST_CASE("S2: rank 0 fails if another process listens on the port, and says where") {
  const HeldPort held;
  REQUIRE(::listen(held.fd(), 8) == 0);
  const HeldPort elsewhere;
  REQUIRE(::listen(elsewhere.fd(), 8) == 0);
  auto env = by_hand(0, held.number());
  // Useless descriptors: none, not a socket, and one that listens on another port.
  for (const int fd : {-1, 0, elsewhere.fd()}) {
    env.listen_fd = fd;
    const auto store = dist::open_store(env, {});
    REQUIRE_FALSE(store);
    INFO(store.error().message);
    CHECK(store.error().message.find("127.0.0.1:" + std::to_string(held.number())) !=
          std::string::npos);
    CHECK(store.error().message.find("choose another MASTER_PORT") != std::string::npos);
  }
}

TEST_CASE("S2: another user can neither talk to the ranks' store nor read their file") {
  if (!testing::can_become_nobody()) return;
  if (!knows_peer_owners()) {
    std::cout << "SKIPPED: this kernel does not tell whose a socket is\n";
    return;
  }
  const HeldPort held;
  const int port = held.number();
  dist::RendezvousOptions options;
  options.timeout = testing::kPatience;
  auto env = by_hand(0, port);
  env.world_size = 1;
  const auto store = dist::open_store(env, options);
  REQUIRE(store);
  (*store)->set("word", "hello");
  // Number of bytes that the store sends before it closes the connection.
  const auto answer = [port] {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    // The system call, since this program's connect() does not connect to other users.
    if (::syscall(SYS_connect, fd, &address, sizeof address) != 0) return 101;
    // c10d's VALIDATE with its magic number, then PING with a number to be returned.
    const unsigned char hello[] = {0, 0xce, 0xf7, 0x85, 0x3c, 13, 42, 0, 0, 0};
    if (::send(fd, hello, sizeof hello, MSG_NOSIGNAL) < 0) return 0;
    char got[64];
    const auto size = ::recv(fd, got, sizeof got, 0);
    return size > 0 ? static_cast<int>(size) : 0;
  };
  CHECK(testing::as_nobody(answer) == 0);
  CHECK((*store)->get_to_str("word") == "hello");

  const TempFolder folder;
  env.world_size = 2;
  options.file = folder.path() / "rendezvous";
  REQUIRE(dist::open_store(env, options));
  struct stat file {};
  REQUIRE(::stat(options.file.c_str(), &file) == 0);
  CHECK((file.st_mode & 0777) == 0600);
}

TEST_CASE("S2: a rank does not connect to another user who took the port of rank 0") {
  if (!testing::can_become_nobody()) return;
  if (!knows_peer_owners()) {
    std::cout << "SKIPPED: this kernel does not tell whose a socket is\n";
    return;
  }
  int told[2] = {-1, -1};
  int hold[2] = {-1, -1};
  REQUIRE(::pipe(told) == 0);
  REQUIRE(::pipe(hold) == 0);
  // Number of connections.
  const pid_t nobody = testing::start_as_nobody([&] {
    ::close(hold[1]);
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener, generic, size) != 0 || ::listen(listener, 8) != 0 ||
        ::getsockname(listener, generic, &size) != 0 ||
        ::write(told[1], &address.sin_port, sizeof address.sin_port) < 0)
      return 101;
    int calls = 0;
    pollfd waiting[] = {{hold[0], POLLIN, 0}, {listener, POLLIN, 0}};
    while (::poll(waiting, 2, -1) > 0 && waiting[0].revents == 0) {
      // The system call, since this program replaces libc's accept().
      if (::syscall(SYS_accept4, listener, nullptr, nullptr, 0) >= 0 && calls < 99) ++calls;
    }
    return calls;
  });
  in_port_t port = 0;
  REQUIRE(::read(told[0], &port, sizeof port) == sizeof port);
  dist::RendezvousOptions options;
  options.timeout = std::chrono::seconds(1);
  CHECK_FALSE(dist::open_store(by_hand(1, ntohs(port)), options));
  ::close(hold[1]);
  CHECK(testing::wait_for_nobody(nobody) == 0);
  for (const int fd : {told[0], told[1], hold[0]}) ::close(fd);
}

TEST_CASE("a rank without others gives up at the timeout and says so") {
  dist::RendezvousOptions options;
  options.timeout = std::chrono::seconds(1);
  const HeldPort held;
  const auto alone = dist::open_store(by_hand(1, held.number()), options);
  REQUIRE_FALSE(alone);
  CHECK(alone.error().message.find("rank 1") != std::string::npos);
  CHECK(alone.error().message.find("#0") == std::string::npos);
}

TEST_CASE("several ranks without an address are a bad request") {
  dist::LaunchEnvironment env;
  env.world_size = 2;
  const auto store = dist::open_store(env, {});
  REQUIRE_FALSE(store);
  CHECK(store.error().kind == ErrorKind::kRequest);
  CHECK(store.error().message.find("MASTER_ADDR") != std::string::npos);
}

TEST_CASE("ranks connect through a file") {
  const TempFolder folder;
  dist::LaunchEnvironment env;
  env.world_size = 2;
  dist::RendezvousOptions options{folder.path() / "rendezvous", testing::kPatience};
  const auto one = dist::open_store(env, options);
  const auto two = dist::open_store(env, options);
  REQUIRE(one);
  REQUIRE(two);
  (*one)->set("a", "b");
  CHECK((*two)->get_to_str("a") == "b");
}

TEST_CASE("two ranks on one GPU are both refused with its name") {
  c10d::HashStore of_this_process;
  c10d::Store& store = of_this_process;
  dist::LaunchEnvironment env;
  env.world_size = 3;
  store.set("device/1", "GPU-b");
  store.set("device/2", "GPU-a");
  const auto first = dist::check_own_device(store, env, "GPU-a");
  REQUIRE_FALSE(first);
  CHECK(first.error().kind == ErrorKind::kRequest);
  CHECK(first.error().message.find("ranks 0 and 2 both have GPU-a") == 0);
  env.rank = 1;
  CHECK(dist::check_own_device(store, env, "GPU-b"));
  env.rank = 2;
  CHECK_FALSE(dist::check_own_device(store, env, "GPU-a"));
}

TEST_CASE("loopback addresses are distinguished from others") {
  CHECK(dist::is_loopback("127.0.0.1"));
  CHECK(dist::is_loopback("localhost"));
  CHECK_FALSE(dist::is_loopback("node1"));
  CHECK_FALSE(dist::is_loopback("10.0.0.1"));
}
