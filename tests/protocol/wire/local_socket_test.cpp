// The local socket: who may connect, the effect of damage, and that it does not affect the program.
#include "protocol/wire/local_socket.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "protocol/host/descriptor.h"
#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"

namespace ringside::wire {
namespace {

// A peer that may open the file and violates the protocol.
struct LocalRogue {
  explicit LocalRogue(const TestAgent& agent) : socket(*make_local_socket()) {
    REQUIRE(at_local_socket(agent.endpoint.local_socket, socket.get(), ::connect));
    head.kind = FrameKind::kBatch;
    head.run_token = agent.endpoint.run_token;
    head.rank = 0;
    head.count = 1;
  }

  std::vector<std::byte> frame(const std::vector<std::byte>& payload) const {
    std::vector<std::byte> bytes(kFrameBytes);
    Frame whole = head;
    whole.payload_bytes = static_cast<std::uint32_t>(payload.size());
    encode_frame(bytes.data(), whole);
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
  }

  void send(std::span<const std::byte> bytes) const {
    REQUIRE(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
  }

  bool has_ended() const {
    char byte = 0;
    return ::recv(socket.get(), &byte, 1, MSG_DONTWAIT) == 0;
  }

  Descriptor socket;
  Frame head;
};

TEST_CASE("S2: only the user of a run can open its local socket, however long its path is") {
  TestAgent agent;
  auto deep = agent.folder.path();
  while (deep.native().size() < 300) deep /= "a folder of a long name";
  std::filesystem::create_directories(deep);
  agent.endpoint.local_socket = deep / "agent.sock";
  const mode_t mask = ::umask(0);
  agent.expect(1);
  ::umask(mask);
  struct stat status {};
  REQUIRE(::stat(agent.endpoint.local_socket.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0600);
  auto sender = TelemetrySender::connect_local(agent.endpoint, 0, 0, 0);
  REQUIRE(sender);
  CHECK(agent.until([&] { return agent.heard_of(Batch::Kind::kHello) == 1; }));
}

TEST_CASE(
    "the local socket exists while ranks are expected, and replaces that of an earlier agent") {
  TestAgent agent(1);
  REQUIRE(std::filesystem::is_socket(agent.endpoint.local_socket));
  REQUIRE(agent.receiver->expect({0, 0, 0, 0, 0}));
  CHECK_FALSE(std::filesystem::exists(agent.endpoint.local_socket));
  CHECK_FALSE(TelemetrySender::connect_local(agent.endpoint, 0, 0, 0));
  {
    const Descriptor left(*make_local_socket());
    REQUIRE(at_local_socket(agent.endpoint.local_socket, left.get(), ::bind));
  }
  REQUIRE(std::filesystem::exists(agent.endpoint.local_socket));
  const auto nobody = TelemetrySender::connect_local(agent.endpoint, 0, 0, 0);
  REQUIRE_FALSE(nobody);
  CHECK(nobody.error().message.find("agent.sock: Connection refused") != std::string::npos);
  agent.expect(1);
  CHECK(TelemetrySender::connect_local(agent.endpoint, 0, 0, 0));
}

TEST_CASE("a folder in which no socket can be created is an error that names it") {
  TestAgent agent(1);
  agent.endpoint.local_socket = "/proc/agent.sock";
  const auto listens =
      agent.receiver->expect({agent.endpoint.run_token, 0, 0, 1, 0, agent.endpoint.local_socket});
  REQUIRE_FALSE(listens);
  CHECK(listens.error().message.find("/proc/agent.sock") != std::string::npos);
}

TEST_CASE("S4: frames split anywhere are received completely") {
  TestAgent agent(1);
  LocalRogue slow(agent);
  slow.head.count = 3;
  const auto whole = slow.frame(payload_of(0, 0, 0, 3));
  for (const std::byte byte : whole) {
    slow.send({&byte, 1});
    agent.turn();
  }
  REQUIRE(agent.until([&] { return agent.heard_of(Batch::Kind::kRecords) == 1; }));
  CHECK(agent.heard.back().payload == payload_of(0, 0, 0, 3));
  CHECK(agent.receiver->counts().refused_total() == 0);
}

TEST_CASE("S4: an invalid frame closes only its connection and is counted by reason") {
  TestAgent agent;
  LocalRogue rogue(agent);
  auto good = TelemetrySender::connect_local(agent.endpoint, 0, 1, 0);
  REQUIRE(good);
  auto bytes = rogue.frame(payload_of(0, 0, 0, 1));
  Refusal reason = Refusal::kMalformed;
  SECTION("no magic") { bytes[0] = std::byte{0}; }
  SECTION("another version") {
    bytes[4] = std::byte{2};
    reason = Refusal::kWrongVersion;
  }
  SECTION("a length above the limit") {
    bytes[47] = std::byte{0x7f};
    reason = Refusal::kTooLarge;
  }
  rogue.send(bytes);
  CHECK(agent.until([&] { return agent.refused(reason) == 1; }));
  CHECK(agent.until([&] { return rogue.has_ended(); }));
  CHECK(agent.receiver->counts().refused_total() == 1);
  REQUIRE(good->send(payload_of(0, 1, 0, 2), 2));
  CHECK(agent.until([&] { return agent.receiver->counts().records == 2; }));
}

TEST_CASE("S4: a valid frame that is refused does not close its connection") {
  TestAgent agent(1);
  LocalRogue rogue(agent);
  ++rogue.head.run_token;
  rogue.send(rogue.frame(payload_of(0, 0, 0, 1)));
  --rogue.head.run_token;
  rogue.send(rogue.frame(payload_of(0, 1, 0, 1)));  // records of another rank
  rogue.send(rogue.frame(payload_of(0, 0, 0, 1)));
  CHECK(agent.until([&] { return agent.heard_of(Batch::Kind::kRecords) == 1; }));
  CHECK(agent.refused(Refusal::kWrongToken) == 1);
  CHECK(agent.refused(Refusal::kBadRecords) == 1);
}

TEST_CASE("S4: connections that send nothing do not exceed the limit") {
  TestAgent agent(1);
  std::vector<std::optional<LocalRogue>> many(200);
  for (auto& one : many) one.emplace(agent);
  agent.turn();
  std::size_t ended = 0;
  for (const auto& one : many) {
    if (one->has_ended()) ++ended;
  }
  CHECK(ended == many.size() - 65);
}

TEST_CASE("R8: a rank whose agent is gone keeps its records, and its goodbye does not wait") {
  std::optional<TestAgent> agent(std::in_place, 1);
  auto sender = TelemetrySender::connect_local(agent->endpoint, 0, 0, 0);
  REQUIRE(sender);
  REQUIRE(sender->send(payload_of(0, 0, 0, 1), 1));
  agent.reset();
  REQUIRE(sender->send(payload_of(0, 0, 1, 1), 1));
  REQUIRE(sender->send(payload_of(0, 0, 2, 1), 1));
  const std::int64_t start_ns = mono_now_ns();
  CHECK_FALSE(sender->goodbye(payload_of(0, 0, 3, 1), 1, start_ns + 60 * kSecondNs));
  CHECK(mono_now_ns() - start_ns < 20 * kSecondNs);
  CHECK(sender->unacknowledged().size() == 4);
}

TEST_CASE("R8: a program that closes all descriptors gets none of our data in its next files") {
  TestAgent agent(1);
  const Descriptor lowest(::dup(0));
  auto sender = TelemetrySender::connect_local(agent.endpoint, 0, 0, 0);
  REQUIRE(sender);
  REQUIRE(agent.until([&] { return agent.heard_of(Batch::Kind::kHello) == 1; }));
  // The sender's descriptor is the next free number after ours.
  int ends[2] = {-1, -1};
  int sender_fd = -1;
  for (int fd = lowest.get() + 1; fd < 200 && sender_fd < 0; ++fd) {
    sockaddr_storage peer{};
    socklen_t bytes = sizeof peer;
    struct stat status {};
    const bool local = ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &bytes) == 0 &&
                       peer.ss_family == AF_UNIX && bytes > sizeof(sa_family_t);
    if (local && ::fstat(fd, &status) == 0) sender_fd = fd;
  }
  REQUIRE(sender_fd > 0);
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  REQUIRE(::dup2(ends[0], sender_fd) == sender_fd);
  CHECK(sender->send(payload_of(0, 0, 0, 1), 1));
  CHECK_FALSE(sender->goodbye({}, 0, mono_now_ns() + kTimeoutNs));
  { const TelemetrySender gone = std::move(*sender); }
  char byte = 0;
  CHECK(::recv(ends[1], &byte, 1, 0) < 0);
  CHECK(::fcntl(sender_fd, F_GETFD) >= 0);  // still open for the program
  for (const int fd : {sender_fd, ends[0], ends[1]}) ::close(fd);
}

}  // namespace
}  // namespace ringside::wire
