// Promise S4: malformed, oversized, replayed or foreign messages are dropped and counted, and other
// ranks are not affected.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>

#include "protocol/wire/keys.h"
#include "protocol/wire/socket.h"
#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"

namespace ringside::wire {
namespace {

// A peer with the run's keys that violates the protocol.
struct Rogue {
  explicit Rogue(const AgentEndpoint& endpoint)
      : socket(*open_dealer(context, endpoint, endpoint.telemetry_endpoint)) {
    frame.kind = FrameKind::kBatch;
    frame.run_token = endpoint.run_token;
    frame.rank = 0;
    frame.count = 1;
  }
  void send(const Frame& head, std::span<const std::byte> payload) {
    REQUIRE(socket.send_frame(head, payload));
  }
  void send_raw(std::span<const std::byte> bytes, bool more = false) {
    Message message;
    REQUIRE(message.resize(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), message.data());
    REQUIRE(socket.send(message.get(), more));
  }
  Context context;
  Socket socket;
  Frame frame;
};

// A well-behaved rank is still accepted.
void check_still_works(TestAgent& agent, Rank rank) {
  auto sender = TelemetrySender::connect(agent.endpoint, 0, rank, 0);
  REQUIRE(sender);
  const std::uint64_t before = agent.receiver->counts().records;
  REQUIRE(sender->send(payload_of(0, rank, 0, 2), 2));
  CHECK(agent.until([&] { return agent.receiver->counts().records == before + 2; }));
}

TEST_CASE("S4: every kind of bad frame is refused and counted by reason") {
  TestAgent agent;
  Rogue rogue(agent.endpoint);
  const auto good = payload_of(0, 0, 0, 1);
  const auto expect = [&](Refusal reason, std::uint64_t count = 1) {
    INFO(name_of(reason));
    CHECK(agent.until([&] { return agent.refused(reason) >= count; }));
    CHECK(agent.refused(reason) == count);
  };
  Frame frame = rogue.frame;
  frame.run_token ^= 1;
  rogue.send(frame, good);
  expect(Refusal::kWrongToken);
  std::uint64_t ranks = 0;
  for (const Rank rank : {-1, 2, 1 << 30, -2'147'483'647 - 1}) {
    frame = rogue.frame;
    frame.rank = rank;
    rogue.send(frame, good);
    expect(Refusal::kBadRank, ++ranks);
  }
  frame = rogue.frame;
  frame.node = 1;
  rogue.send(frame, good);
  expect(Refusal::kBadRank, ++ranks);
  frame = rogue.frame;
  frame.kind = FrameKind::kGoodbyeAck;
  rogue.send(frame, {});
  expect(Refusal::kUnknownKind);
  frame = rogue.frame;
  frame.attempt = 5;
  rogue.send(frame, good);
  expect(Refusal::kWrongAttempt);
  std::vector<std::byte> wrong_version(kFrameBytes);
  encode_frame(wrong_version.data(), rogue.frame);
  wrong_version[4] = std::byte{9};
  rogue.send_raw(wrong_version);
  expect(Refusal::kWrongVersion);
  CHECK(agent.heard.empty());
  check_still_works(agent, 1);
}

TEST_CASE("S4: payloads with other records than claimed are refused") {
  TestAgent agent;
  Rogue rogue(agent.endpoint);
  std::uint64_t refused = 0;
  const auto refuse = [&](std::uint32_t count, std::vector<std::byte> payload) {
    Frame frame = rogue.frame;
    frame.count = count;
    rogue.send(frame, payload);
    ++refused;
    CHECK(agent.until([&] { return agent.refused(Refusal::kBadRecords) >= refused; }));
  };
  refuse(1, {});
  refuse(0, {});
  refuse(2, payload_of(0, 0, 0, 1));
  refuse(1, payload_of(0, 0, 0, 2));
  refuse(1, payload_of(0, 1, 0, 1));  // records of another rank
  refuse(1, payload_of(1, 0, 0, 1));  // or of another node
  refuse(0xFFFFFFFF, payload_of(0, 0, 0, 1));
  auto cut = payload_of(0, 0, 0, 1);
  cut.pop_back();
  refuse(1, cut);
  auto longer = payload_of(0, 0, 0, 1);
  longer.push_back(std::byte{0});
  refuse(1, longer);
  CHECK(agent.receiver->counts().refused_total() == refused);
  check_still_works(agent, 1);
}

TEST_CASE("S4: a replayed batch is refused, and a skipped number is a loss") {
  TestAgent agent;
  Rogue rogue(agent.endpoint);
  rogue.send(rogue.frame, payload_of(0, 0, 0, 1));
  rogue.send(rogue.frame, payload_of(0, 0, 0, 1));
  Frame later = rogue.frame;
  later.number = 5;
  rogue.send(later, payload_of(0, 0, 1, 1));
  REQUIRE(agent.until([&] { return agent.heard_of(Batch::Kind::kRecords) == 2; }));
  CHECK(agent.refused(Refusal::kReplayed) == 1);
  CHECK(agent.heard.back().lost_batches == 4);
  CHECK(agent.receiver->counts().lost_batches == 4);
}

TEST_CASE("S4: garbage, multipart messages and frames above the limit are counted") {
  TestAgent agent;
  Rogue rogue(agent.endpoint);
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 200; ++size) {
    std::vector<std::byte> junk(size);
    for (auto& b : junk) b = static_cast<std::byte>(random());
    rogue.send_raw(junk);
  }
  CHECK(agent.until([&] { return agent.refused(Refusal::kMalformed) == 200; }));
  std::vector<std::byte> head(kFrameBytes);
  encode_frame(head.data(), rogue.frame);
  rogue.send_raw(head, true);
  rogue.send_raw(head, true);
  rogue.send_raw(head, false);
  CHECK(agent.until([&] { return agent.refused(Refusal::kMalformed) == 201; }));
  rogue.send_raw(std::vector<std::byte>(kFrameBytes + kMaxFramePayload + 1));
  CHECK(agent.until([&] { return agent.refused(Refusal::kMalformed) == 202; }));
  encode_frame(head.data(), rogue.frame);
  std::vector<std::byte> large(kFrameBytes + kMaxFramePayload + 1);
  std::copy(head.begin(), head.end(), large.begin());
  rogue.send_raw(large);
  CHECK(agent.until([&] { return agent.refused(Refusal::kTooLarge) == 1; }));
  check_still_works(agent, 0);
}

TEST_CASE("S4: a message far above the limit only closes its connection") {
  TestAgent agent;
  Rogue rogue(agent.endpoint);
  rogue.send_raw(std::vector<std::byte>(std::size_t{64} << 20));
  CHECK(agent.until([&] { return agent.authenticator->counts().disconnected >= 1; }));
  CHECK(agent.receiver->counts().frames == 0);
  check_still_works(agent, 0);
}

TEST_CASE(
    "S2, S4: a wrong key, no key and a wrong server key are refused before any message, and "
    "counted") {
  TestAgent agent;
  AgentEndpoint stranger = agent.endpoint;
  const auto keys = make_key_pair();
  REQUIRE(keys);
  stranger.client_public_key = keys->public_key;
  stranger.client_secret_key = keys->secret_key;
  auto unknown = TelemetrySender::connect(stranger, 0, 0, 0);
  REQUIRE(unknown);
  REQUIRE(unknown->send(payload_of(0, 0, 0, 1), 1));
  CHECK(agent.until([&] { return agent.authenticator->counts().wrong_key >= 1; }));

  const Context context;
  auto naked = Socket::open(context, ZMQ_DEALER);
  REQUIRE(naked);
  REQUIRE(zmq_connect(naked->get(), agent.endpoint.telemetry_endpoint.c_str()) == 0);
  CHECK(agent.until([&] { return agent.authenticator->counts().bad_handshake >= 1; }));

  const std::uint64_t before =
      agent.authenticator->counts().bad_handshake + agent.authenticator->counts().disconnected;
  AgentEndpoint misled = agent.endpoint;
  misled.server_public_key = keys->public_key;
  auto lost = TelemetrySender::connect(misled, 0, 0, 0);
  REQUIRE(lost);
  CHECK(agent.until([&] {
    return agent.authenticator->counts().bad_handshake +
               agent.authenticator->counts().disconnected >
           before;
  }));
  CHECK(agent.heard.empty());
  CHECK(agent.authenticator->counts().authorized == 0);
  check_still_works(agent, 0);
}

TEST_CASE("S2, S4: a revoked run cannot connect any more") {
  TestAgent agent;
  agent.authenticator->revoke(agent.endpoint);
  auto late = TelemetrySender::connect(agent.endpoint, 0, 0, 0);
  REQUIRE(late);
  CHECK(agent.until([&] { return agent.authenticator->counts().wrong_key >= 1; }));
  CHECK(agent.heard.empty());
}

TEST_CASE("S4: connections that do not speak ZeroMQ are closed") {
  TestAgent agent;
  const std::string& endpoint = agent.endpoint.telemetry_endpoint;
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port =
      htons(static_cast<std::uint16_t>(std::stoul(endpoint.substr(endpoint.rfind(':') + 1))));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const std::string junk = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + std::string(4096, '\xff');
  CHECK(::send(fd, junk.data(), junk.size(), MSG_NOSIGNAL) > 0);
  CHECK(agent.until([&] {
    return agent.authenticator->counts().bad_handshake +
               agent.authenticator->counts().disconnected >=
           1;
  }));
  ::close(fd);
  check_still_works(agent, 0);
}

}  // namespace
}  // namespace ringside::wire
