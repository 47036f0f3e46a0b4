// Viewers that freeze, vanish, crowd in or send nonsense: nothing of it costs the agent more than
// it allows.
#include "protocol/wire/socket.h"
#include "tests/protocol/wire/follow_fixture.h"

namespace ringside::wire {
namespace {

TEST_CASE("a frozen viewer is sent its credit and no more, and catches up when it thaws") {
  TestAgent agent;
  LiveLog log(agent);
  Viewer frozen(agent.endpoint);
  Viewer awake(agent.endpoint);
  frozen.follow(0, 0);
  awake.follow(0, 0);
  REQUIRE(agent.until([&] { return agent.server->counts().followers == 2; }));
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < 16; ++j) log.append(100);
    REQUIRE(agent.until([&] {
      awake.poll();
      return awake.bytes.size() == log.disk->bytes.size();
    }));
  }
  REQUIRE(log.disk->bytes.size() > 15 * std::size_t{FollowServer::kMaxCreditBytes});
  CHECK(agent.server->counts().sent_bytes <=
        log.disk->bytes.size() + FollowServer::kMaxCreditBytes);
  CHECK_FALSE(agent.server->drained());
  REQUIRE(agent.until([&] {
    frozen.poll();
    return frozen.bytes.size() == log.disk->bytes.size();
  }));
  CHECK(frozen.in_order);
  CHECK(frozen.bytes == log.disk->bytes);
  CHECK(agent.server->drained());
}

TEST_CASE("a viewer that asks for more than the limit of credit gets the limit") {
  TestAgent agent;
  LiveLog log(agent);
  for (int i = 0; i < 300; ++i) log.append(100);
  const Context context;
  auto greedy = open_dealer(context, agent.endpoint, agent.endpoint.viewer_endpoint);
  REQUIRE(greedy);
  Frame frame;
  frame.kind = FrameKind::kFollow;
  frame.run_token = agent.endpoint.run_token;
  frame.number = 1;
  frame.count = 0xFFFFFFFF;
  REQUIRE(greedy->send_frame(frame));
  frame.kind = FrameKind::kCredit;
  for (int i = 0; i < 10; ++i) REQUIRE(greedy->send_frame(frame));
  REQUIRE(agent.until([&] { return agent.server->counts().requests == 11; }));
  agent.turn();
  // The credit of the request and, at worst, a refill for what was sent between two requests.
  CHECK(agent.server->counts().sent_bytes <= 11 * std::uint64_t{FollowServer::kMaxCreditBytes});
  CHECK(agent.server->counts().sent_bytes >= FollowServer::kMaxCreditBytes);
}

TEST_CASE("viewers that vanish are forgotten") {
  TestAgent agent;
  LiveLog log(agent);
  for (int round = 0; round < 5; ++round) {
    Viewer viewer(agent.endpoint);
    viewer.follow(0, 0);
    REQUIRE(agent.until([&] {
      viewer.poll();
      return viewer.bytes.size() == log.disk->bytes.size();
    }));
  }
  CHECK(agent.until([&] {
    log.append(1);
    agent.turn();
    return agent.server->counts().followers == 0;
  }));
}

TEST_CASE("there is room for a new viewer when the ones that filled the table are gone") {
  TestAgent agent;
  LiveLog log(agent);
  log.append(1);
  std::vector<std::unique_ptr<Viewer>> crowd;
  for (std::size_t i = 0; i < FollowServer::kMaxFollowers; ++i) {
    crowd.push_back(std::make_unique<Viewer>(agent.endpoint));
    crowd.back()->follow(0, 0);
  }
  REQUIRE(
      agent.until([&] { return agent.server->counts().followers == FollowServer::kMaxFollowers; }));
  Viewer late(agent.endpoint);
  late.follow(0, 0);
  REQUIRE(agent.until([&] {
    late.poll();
    return !late.refused.empty();
  }));
  CHECK(late.refused.find("too many viewers") != std::string::npos);
  const std::uint64_t before = agent.authenticator->counts().disconnected;
  crowd.clear();
  REQUIRE(agent.until([&] {
    return agent.authenticator->counts().disconnected >= before + FollowServer::kMaxFollowers;
  }));
  Viewer next(agent.endpoint);
  next.follow(0, 0);
  CHECK(agent.until([&] {
    next.poll();
    return next.bytes == log.disk->bytes;
  }));
}

TEST_CASE("nonsense on the viewer channel is counted and answered by silence") {
  TestAgent agent;
  LiveLog log(agent);
  log.append(3);
  const Context context;
  auto rogue = open_dealer(context, agent.endpoint, agent.endpoint.viewer_endpoint);
  REQUIRE(rogue);
  Frame frame;
  frame.run_token = agent.endpoint.run_token;
  for (const FrameKind kind :
       {FrameKind::kHello, FrameKind::kChunk, FrameKind::kReply, static_cast<FrameKind>(999)}) {
    frame.kind = kind;
    REQUIRE(rogue->send_frame(frame));
  }
  Message junk;
  REQUIRE(junk.resize(100));
  std::fill_n(junk.data(), 100, std::byte{0xAB});
  REQUIRE(rogue->send(junk.get(), true));
  Message empty;
  REQUIRE(rogue->send(empty.get()));
  CHECK(agent.until([&] { return agent.server->counts().refused == 5; }));
  const std::uint64_t before = agent.authenticator->counts().disconnected;
  Message huge;
  REQUIRE(huge.resize(10'000'000));
  std::fill_n(huge.data(), huge.size(), std::byte{0});
  REQUIRE(rogue->send(huge.get()));
  CHECK(agent.until([&] { return agent.authenticator->counts().disconnected > before; }));
  Viewer viewer(agent.endpoint);
  viewer.follow(0, 0);
  CHECK(agent.until([&] {
    viewer.poll();
    return viewer.bytes == log.disk->bytes;
  }));
}

TEST_CASE("a reply to a viewer that is gone, or with a made-up ticket, is dropped") {
  TestAgent agent;
  LiveLog log(agent);
  {
    Viewer viewer(agent.endpoint);
    viewer.client.send_status();
    REQUIRE(agent.until([&] { return agent.asked.size() == 1; }));
  }
  REQUIRE(agent.until([&] { return agent.authenticator->counts().disconnected >= 1; }));
  agent.server->reply(agent.asked[0], true, "anyone there?");
  ControlRequest made_up;
  agent.server->reply(made_up, true, "");
  made_up.ticket = "12345678nobody";
  agent.server->reply(made_up, true, "");
  Viewer viewer(agent.endpoint);
  viewer.follow(0, 0);
  CHECK(agent.until([&] {
    viewer.poll();
    return viewer.bytes == log.disk->bytes;
  }));
}

}  // namespace
}  // namespace ringside::wire
