#include <future>

#include "tests/protocol/wire/tcp_proxy.h"
#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"
#include "tests/support/record_list.h"

namespace ringside::wire {
namespace {

using Connect = decltype(&TelemetrySender::connect);
constexpr std::size_t kRoom = TelemetrySender::kDefaultUnacknowledgedBytes;

// Connects by ZeroMQ, then by the local socket.
Connect either_way() {
  return GENERATE(0, 1) == 0 ? &TelemetrySender::connect : &TelemetrySender::connect_local;
}

TelemetrySender sender_of(const TestAgent& agent, Rank rank, std::int32_t attempt = 0,
                          Connect connect = &TelemetrySender::connect) {
  auto sender = connect(agent.endpoint, 0, rank, attempt, kRoom);
  REQUIRE(sender);
  return std::move(*sender);
}

// Sends the goodbye on another thread while the test runs the agent.
bool part(TestAgent& agent, TelemetrySender& sender, const std::vector<std::byte>& payload,
          std::uint32_t count) {
  auto done = std::async(std::launch::async, [&] {
    return sender.goodbye(payload, count, mono_now_ns() + kTimeoutNs);
  });
  agent.until([&] { return done.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  return done.get();
}

TEST_CASE("batches of two ranks arrive whole, in order, and the goodbye is acknowledged") {
  const Connect connect = either_way();
  TestAgent agent;
  TelemetrySender first = sender_of(agent, 0, 0, connect);
  TelemetrySender second = sender_of(agent, 1, 0, connect);
  for (std::uint64_t i = 0; i < 200; ++i) {
    REQUIRE(first.send(payload_of(0, 0, i * 3, 3), 3));
    REQUIRE(second.send(payload_of(0, 1, i, 1), 1));
  }
  CHECK(part(agent, first, payload_of(0, 0, 600, 1), 1));
  CHECK(part(agent, second, {}, 0));

  CHECK(agent.heard_of(Batch::Kind::kHello) == 2);
  CHECK(agent.heard_of(Batch::Kind::kRecords) == 400);
  CHECK(agent.heard_of(Batch::Kind::kGoodbye) == 2);
  std::map<Rank, support::RecordList> records;
  messages::DecodeCounts counts;
  for (const auto& batch : agent.heard) {
    CHECK(batch.lost_batches == 0);
    messages::decode_records(batch.payload, records[batch.rank], counts);
  }
  REQUIRE(records[0].entries.size() == 601);
  REQUIRE(records[1].entries.size() == 200);
  for (std::size_t i = 0; i < 601; ++i) CHECK(records[0].entries[i].stamp.seq == i);
  CHECK(agent.receiver->counts().frames == 404);
  CHECK(agent.receiver->counts().records == 801);
  CHECK(agent.receiver->counts().refused_total() == 0);
  const bool streamed = connect == &TelemetrySender::connect;
  CHECK(agent.authenticator->counts().authorized == (streamed ? 2 : 0));
}

TEST_CASE("a goodbye is acknowledged only after the call that returned its records") {
  const Connect connect = either_way();
  TestAgent agent(1);
  TelemetrySender sender = sender_of(agent, 0, 0, connect);
  auto done = std::async(std::launch::async, [&] {
    return sender.goodbye(payload_of(0, 0, 0, 1), 1, mono_now_ns() + kTimeoutNs);
  });
  std::optional<Batch> batch;
  const std::int64_t deadline_ns = mono_now_ns() + kTimeoutNs;
  while ((!batch || batch->kind != Batch::Kind::kGoodbye) && mono_now_ns() < deadline_ns) {
    batch = agent.receiver->receive();
    if (!batch) (void)agent.poller.wait(5'000'000);
  }
  REQUIRE(batch);
  REQUIRE(batch->kind == Batch::Kind::kGoodbye);
  CHECK(done.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout);
  agent.turn();
  CHECK(done.get());
}

TEST_CASE("a stop request reaches the rank and has the requested mode") {
  const Connect connect = either_way();
  TestAgent agent;
  CHECK_FALSE(agent.receiver->send_stop(0, StopMode::kGraceful));  // has not sent its hello
  TelemetrySender first = sender_of(agent, 0, 0, connect);
  TelemetrySender second = sender_of(agent, 1, 0, connect);
  REQUIRE(agent.until([&] { return agent.heard_of(Batch::Kind::kHello) == 2; }));
  REQUIRE(agent.receiver->send_stop(1, StopMode::kNow));
  REQUIRE(agent.receiver->send_stop(0, StopMode::kGraceful));
  CHECK_FALSE(agent.receiver->send_stop(2, StopMode::kNow));
  CHECK_FALSE(agent.receiver->send_stop(-1, StopMode::kNow));
  std::optional<StopRequest> at_first;
  std::optional<StopRequest> at_second;
  REQUIRE(agent.until([&] {
    if (auto got = first.poll_control()) at_first = got;
    if (auto got = second.poll_control()) at_second = got;
    return at_first && at_second;
  }));
  CHECK(at_first->mode == StopMode::kGraceful);
  CHECK(at_second->mode == StopMode::kNow);
  CHECK_FALSE(first.poll_control());
}

TEST_CASE("ranks beyond those that were started are accepted if allowed, up to the limit") {
  TestAgent agent(1);
  REQUIRE(agent.receiver->expect(
      {agent.endpoint.run_token, 0, 0, 1, 0, agent.endpoint.local_socket, 3}));
  TelemetrySender third = sender_of(agent, 2, 0, &TelemetrySender::connect_local);
  TelemetrySender beyond = sender_of(agent, 3, 0, &TelemetrySender::connect_local);
  REQUIRE(third.send(payload_of(0, 2, 0, 1), 1));
  REQUIRE(agent.until([&] { return agent.heard_of(Batch::Kind::kRecords) == 1; }));
  REQUIRE(agent.until([&] { return agent.refused(Refusal::kBadRank) == 1; }));
  CHECK_FALSE(agent.receiver->send_stop(1, StopMode::kNow));
  CHECK(agent.receiver->send_stop(2, StopMode::kNow));
}

TEST_CASE("a stop request to a rank whose connection has ended fails") {
  const Connect connect = either_way();
  TestAgent agent(1);
  {
    TelemetrySender sender = sender_of(agent, 0, 0, connect);
    REQUIRE(agent.until([&] { return agent.heard_of(Batch::Kind::kHello) == 1; }));
  }
  CHECK(agent.until([&] { return !agent.receiver->send_stop(0, StopMode::kGraceful); }));
}

TEST_CASE("no second connection is accepted for a rank until the next attempt") {
  TestAgent agent(1);
  TelemetrySender owner = sender_of(agent, 0);
  REQUIRE(agent.until([&] { return agent.heard_of(Batch::Kind::kHello) == 1; }));
  TelemetrySender thief = sender_of(agent, 0);
  REQUIRE(thief.send(payload_of(0, 0, 500, 1), 1));
  REQUIRE(agent.until([&] { return agent.refused(Refusal::kRankTaken) == 2; }));  // hello and batch
  TelemetrySender next = sender_of(agent, 0, 1);
  REQUIRE(agent.until([&] { return agent.refused(Refusal::kWrongAttempt) == 1; }));
  agent.expect(1, 1);
  REQUIRE(next.send(payload_of(0, 0, 0, 1), 1));
  REQUIRE(owner.send(payload_of(0, 0, 1, 1), 1));
  REQUIRE(agent.until([&] { return agent.refused(Refusal::kWrongAttempt) == 2; }));
  REQUIRE(agent.until([&] { return agent.heard_of(Batch::Kind::kRecords) == 1; }));
  CHECK(agent.heard.back().payload == payload_of(0, 0, 0, 1));
}

TEST_CASE("a broken connection is restored, lost batches are counted, and none is repeated") {
  TestAgent agent(1);
  TcpProxy proxy(agent.receiver->endpoint());
  AgentEndpoint endpoint = agent.endpoint;
  endpoint.telemetry_endpoint = proxy.endpoint();
  auto sender = TelemetrySender::connect(endpoint, 0, 0, 0);
  REQUIRE(sender);
  std::uint64_t sent = 0;
  // Batches accepted after a cut came over a new connection. A goodbye sent over the broken one
  // would be lost: the rank's files have it, and this test is about what continues.
  const auto heals_from = [&](std::uint64_t after) {
    return agent.until([&] {
      if (sender->send(payload_of(0, 0, sent, 1), 1)) ++sent;
      messages::RecordHead head{};
      return messages::peek_record(agent.heard.back().payload, head) && head.stamp.seq >= after;
    });
  };
  REQUIRE(agent.until([&] { return !agent.heard.empty(); }));
  for (int cut = 1; cut <= 3; ++cut) {
    REQUIRE(heals_from(sent + 5));
    proxy.cut();
    REQUIRE(agent.until([&] { return proxy.cuts_done() == cut; }));
  }
  REQUIRE(heals_from(sent));
  CHECK(part(agent, *sender, payload_of(0, 0, sent, 1), 1));
  support::RecordList records;
  messages::DecodeCounts counts;
  for (const auto& batch : agent.heard) messages::decode_records(batch.payload, records, counts);
  for (std::size_t i = 1; i < records.entries.size(); ++i) {
    REQUIRE(records.entries[i].stamp.seq > records.entries[i - 1].stamp.seq);
  }
  CHECK(records.entries.back().stamp.seq == sent);
  CHECK(records.entries.size() + agent.receiver->counts().lost_batches == sent + 1);
}

}  // namespace
}  // namespace ringside::wire
