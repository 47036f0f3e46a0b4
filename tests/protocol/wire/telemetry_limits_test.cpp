// Promise R8: a rank never waits for its agent, whatever the agent does.
#include "protocol/messages/epoch_records.h"
#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"

namespace ringside::wire {
namespace {

constexpr std::size_t kLimit = std::size_t{1} << 20;

using Connect = decltype(&TelemetrySender::connect);
constexpr Connect kEitherWay[] = {&TelemetrySender::connect, &TelemetrySender::connect_local};

// Waits for this many batches while the sender polls for requests, as a reporter does.
bool arrive(TestAgent& agent, TelemetrySender& sender, Batch::Kind kind, std::size_t count) {
  return agent.until([&] {
    CHECK_FALSE(sender.poll_control());
    return agent.heard_of(kind) == count;
  });
}

// Sends until refused; returns how many were accepted. Would hang if a send could block.
std::uint64_t fill(TelemetrySender& sender) {
  const auto payload = payload_of(0, 0, 0, 400);  // about 50 KiB
  std::uint64_t taken = 0;
  while (sender.send(payload, 400)) {
    ++taken;
    REQUIRE(sender.unacknowledged_bytes() <= kLimit);
    REQUIRE(taken < 100'000);
  }
  return taken;
}

TEST_CASE(
    "R8: without an agent sends are accepted up to the limit and then refused, without blocking") {
  AgentEndpoint endpoint;
  {
    TestAgent agent;
    endpoint = agent.endpoint;
  }
  auto sender = TelemetrySender::connect(endpoint, 0, 0, 0, kLimit);
  REQUIRE(sender);
  const std::uint64_t taken = fill(*sender);
  CHECK(taken >= 19);
  CHECK(taken <= 20);
  CHECK_FALSE(sender->poll_control());
  const std::int64_t start_ns = mono_now_ns();
  CHECK_FALSE(sender->goodbye({}, 0, start_ns + 50'000'000));
  CHECK(mono_now_ns() - start_ns >= 50'000'000);
}

TEST_CASE(
    "R8: with an agent that stopped reading sends are refused at the limit and continue when it "
    "reads again") {
  const Connect connect = kEitherWay[GENERATE(0, 1)];
  TestAgent agent(1);
  auto sender = connect(agent.endpoint, 0, 0, 0, kLimit);
  REQUIRE(sender);
  REQUIRE(agent.until([&] { return agent.heard_of(Batch::Kind::kHello) == 1; }));
  // ZeroMQ's thread and the kernel accept some data while nobody reads; then sends are refused for
  // good.
  std::uint64_t taken = 0;
  std::int64_t full_since_ns = 0;
  while (full_since_ns == 0 || mono_now_ns() - full_since_ns < kSecondNs / 4) {
    const std::uint64_t more = fill(*sender);
    taken += more;
    if (more > 0) full_since_ns = mono_now_ns();
    REQUIRE(taken < 2'000);
  }
  REQUIRE(agent.until([&] { return sender->send(payload_of(0, 0, 0, 1), 1); }));
  REQUIRE(arrive(agent, *sender, Batch::Kind::kRecords, taken + 1));
  CHECK(agent.receiver->counts().lost_batches == 0);
}

TEST_CASE("R8: sent batches of any size are dropped when the agent acknowledges them") {
  const std::uint32_t records = GENERATE(1U, 400U);
  const Connect connect = kEitherWay[GENERATE(0, 1)];
  TestAgent agent(1);
  auto sender = connect(agent.endpoint, 0, 0, 0, TelemetrySender::kDefaultUnacknowledgedBytes);
  REQUIRE(sender);
  const auto payload = payload_of(0, 0, 0, records);
  for (std::uint64_t i = 0; i < 100; ++i) {
    REQUIRE(sender->send(payload, records));
    const auto kept = sender->unacknowledged();
    CHECK(std::vector<std::byte>(kept.back().begin(), kept.back().end()) == payload);
  }
  CHECK(arrive(agent, *sender, Batch::Kind::kRecords, 100));
  CHECK(agent.until([&] {
    CHECK_FALSE(sender->poll_control());
    return sender->unacknowledged().size() < 16;
  }));
}

TEST_CASE(
    "R8: small batches are accepted up to the limit while nobody reads, and all arrive, the "
    "goodbye last") {
  const Connect connect = kEitherWay[GENERATE(0, 1)];
  TestAgent agent(1);
  auto sender = connect(agent.endpoint, 0, 0, 0, kLimit);
  REQUIRE(sender);
  std::uint64_t taken = 0;
  while (sender->send(payload_of(0, 0, taken, 1), 1)) ++taken;
  CHECK(sender->unacknowledged_bytes() > kLimit - 1024);
  REQUIRE(taken > 1000);
  REQUIRE(sender->send_rest(payload_of(0, 0, taken, 1), 1));
  CHECK_FALSE(sender->goodbye(payload_of(0, 0, taken + 1, 1), 1, mono_now_ns()));
  CHECK(arrive(agent, *sender, Batch::Kind::kGoodbye, 1));
  CHECK(agent.heard_of(Batch::Kind::kRecords) == taken + 1);
  CHECK(agent.receiver->counts().lost_batches == 0);
}

TEST_CASE(
    "without an acknowledgement all batches and the goodbye are kept, even beyond the limit") {
  const Connect connect = kEitherWay[GENERATE(0, 1)];
  TestAgent agent(1);
  auto sender = connect(agent.endpoint, 0, 0, 0, kLimit);
  REQUIRE(sender);
  const std::uint64_t taken = fill(*sender);
  REQUIRE(sender->send_rest(payload_of(0, 0, 7, 1), 1));
  CHECK_FALSE(sender->goodbye(payload_of(0, 0, 8, 1), 1, mono_now_ns()));
  const auto kept = sender->unacknowledged();
  REQUIRE(kept.size() == taken + 2);
  const auto same = [&](std::size_t i, std::uint64_t seq) {
    return std::vector<std::byte>(kept[i].begin(), kept[i].end()) == payload_of(0, 0, seq, 1);
  };
  CHECK(same(taken, 7));
  CHECK(same(taken + 1, 8));
}

TEST_CASE("the sender refuses a payload above the message limit") {
  const Connect connect = kEitherWay[GENERATE(0, 1)];
  TestAgent agent(1);
  auto sender = connect(agent.endpoint, 0, 0, 0, TelemetrySender::kDefaultUnacknowledgedBytes);
  REQUIRE(sender);
  const std::vector<std::byte> huge(TelemetrySender::kMaxPayloadBytes + 1);
  CHECK_FALSE(sender->send(huge, 1));
  messages::ShardReport shard;
  shard.indices.assign(messages::ShardReport::kMaxIndices, 7);
  std::vector<std::byte> large;
  for (std::uint64_t seq = 0; seq < 31; ++seq)
    messages::append_record(large, {0, 0, seq, 0}, shard);
  REQUIRE(large.size() > TelemetrySender::kMaxPayloadBytes * 9 / 10);
  REQUIRE(sender->send(large, 31));
  CHECK(arrive(agent, *sender, Batch::Kind::kRecords, 1));
  CHECK(agent.receiver->counts().records == 31);
}

TEST_CASE("R8: closing a sender without a receiver takes a bounded time") {
  AgentEndpoint endpoint;
  {
    TestAgent agent;
    endpoint = agent.endpoint;
  }
  const std::int64_t start_ns = mono_now_ns();
  {
    auto sender = TelemetrySender::connect(endpoint, 0, 0, 0);
    REQUIRE(sender);
    REQUIRE(sender->send(payload_of(0, 0, 0, 1), 1));
  }
  // The promise is 0.2 s; a loaded machine gets more.
  CHECK(mono_now_ns() - start_ns < 2 * kSecondNs);
}

TEST_CASE("an endpoint with invalid keys is an error that does not show them") {
  TestAgent agent;
  AgentEndpoint endpoint = agent.endpoint;
  endpoint.client_secret_key = "not a key, but a secret";
  const auto sender = TelemetrySender::connect(endpoint, 0, 0, 0);
  REQUIRE_FALSE(sender);
  CHECK(sender.error().message.find("not a key") == std::string::npos);
}

}  // namespace
}  // namespace ringside::wire
