#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <future>

#include "tests/protocol/wire/follow_fixture.h"
#include "tests/protocol/wire/tcp_proxy.h"

namespace ringside::wire {
namespace {

TEST_CASE("what was there and what comes arrive as one stream, and then the end") {
  TestAgent agent;
  LiveLog log(agent);
  for (int i = 0; i < 300; ++i) log.append(100);  // about 4 MB: many times the credit
  Viewer viewer(agent.endpoint);
  viewer.follow(0, 0);
  for (int i = 0; i < 100; ++i) {
    REQUIRE(agent.until([&] {
      viewer.poll();
      return viewer.bytes.size() > static_cast<std::size_t>(i) * 10'000;
    }));
    log.append(3);
  }
  REQUIRE(agent.until([&] {
    viewer.poll();
    return viewer.bytes.size() == log.disk->bytes.size();
  }));
  CHECK_FALSE(viewer.ended);
  log.append(1);
  log.finish();
  REQUIRE(agent.until([&] {
    viewer.poll();
    return viewer.ended;
  }));
  CHECK(viewer.in_order);
  CHECK(viewer.bytes == log.disk->bytes);
  CHECK(agent.server->drained());
  CHECK(agent.server->counts().sent_bytes == log.disk->bytes.size());
}

TEST_CASE(
    "a viewer gets the rest from the offset it has, also at the end and also of a finished log") {
  TestAgent agent;
  LiveLog log(agent);
  for (int i = 0; i < 20; ++i) log.append(10);
  log.finish();
  const std::uint64_t size = log.disk->bytes.size();
  for (const std::uint64_t offset :
       {std::uint64_t{0}, std::uint64_t{1}, size / 2, size - 1, size}) {
    Viewer viewer(agent.endpoint);
    viewer.follow(0, offset);
    REQUIRE(agent.until([&] {
      viewer.poll();
      return viewer.ended;
    }));
    CHECK(std::equal(viewer.bytes.begin(), viewer.bytes.end(),
                     log.disk->bytes.begin() + static_cast<std::ptrdiff_t>(offset),
                     log.disk->bytes.end()));
  }
}

TEST_CASE("R14: a log is open only while somebody reads it") {
  TestAgent agent;
  LiveLog log(agent);
  log.append(10);
  agent.turn();
  CHECK(log.readers() == 0);
  for (int viewers = 1; viewers <= 3; ++viewers) {
    Viewer viewer(agent.endpoint);
    viewer.follow(0, 0);
    const auto has_all = [&] {
      viewer.poll();
      return viewer.bytes == log.disk->bytes;
    };
    REQUIRE(agent.until(has_all));
    if (viewers == 1) {
      CHECK(log.readers() == 1);  // more may come
      log.finish();
    }
    REQUIRE(agent.until([&] {
      viewer.poll();
      return viewer.ended;
    }));
    agent.turn();
    CHECK(log.readers() == 0);
    CHECK(log.opened == viewers);
  }
}

TEST_CASE("bytes behind the last whole segment are not served") {
  TestAgent agent;
  LiveLog log(agent);
  log.append(5);
  log.disk->bytes.resize(log.disk->bytes.size() + 1000);  // a write that is failing
  Viewer viewer(agent.endpoint);
  viewer.follow(0, 0);
  REQUIRE(agent.until([&] {
    viewer.poll();
    return viewer.bytes.size() == log.writer->end_bytes();
  }));
  for (int i = 0; i < 20; ++i) {
    agent.turn(1'000'000);
    viewer.poll();
  }
  CHECK(viewer.bytes.size() == log.writer->end_bytes());
}

TEST_CASE("requests that cannot be met are refused with a reason") {
  TestAgent agent;
  LiveLog log(agent);
  log.append(1);
  const auto refused = [&](std::uint64_t token, Node node, std::uint64_t offset) {
    AgentEndpoint endpoint = agent.endpoint;
    endpoint.run_token = token;
    Viewer viewer(endpoint);
    viewer.follow(node, offset);
    CHECK(agent.until([&] {
      viewer.poll();
      return !viewer.refused.empty();
    }));
    CHECK(viewer.bytes.empty());
    return viewer.refused;
  };
  CHECK(refused(agent.endpoint.run_token ^ 1, 0, 0) == "this agent does not know that run");
  CHECK(refused(agent.endpoint.run_token, 4, 0) == "this agent has no log of that node");
  CHECK(refused(agent.endpoint.run_token, 0, 1'000'000) == "the log is shorter than that offset");
  CHECK(agent.server->counts().refused == 3);
}

TEST_CASE("logs of several runs and nodes are kept apart") {
  TestAgent agent;
  LiveLog first(agent, 0);
  LiveLog second(agent, 1);
  first.append(10);
  second.append(20);
  Viewer viewer(agent.endpoint);
  viewer.follow(1, 0);
  REQUIRE(agent.until([&] {
    viewer.poll();
    return viewer.bytes.size() == second.disk->bytes.size();
  }));
  CHECK(viewer.bytes == second.disk->bytes);
  // The same viewer turns to the other log: the new request replaces the old one.
  viewer.bytes.clear();
  viewer.follow(0, 0);
  REQUIRE(agent.until([&] {
    viewer.poll();
    return viewer.bytes.size() == first.disk->bytes.size();
  }));
  CHECK(viewer.bytes == first.disk->bytes);
}

TEST_CASE("a viewer whose connection breaks continues where it was, without a gap") {
  TestAgent agent;
  LiveLog log(agent);
  for (int i = 0; i < 100; ++i) log.append(100);
  TcpProxy proxy(agent.server->endpoint());
  AgentEndpoint endpoint = agent.endpoint;
  endpoint.viewer_endpoint = proxy.endpoint();
  Viewer viewer(endpoint);
  viewer.follow(0, 0);
  for (int cut = 1; cut <= 2; ++cut) {
    const std::size_t before = viewer.bytes.size();
    REQUIRE(agent.until([&] {
      viewer.poll();
      return viewer.bytes.size() > before;
    }));
    proxy.cut();
    log.append(50);
    REQUIRE(agent.until([&] { return proxy.cuts_done() == cut; }));
    REQUIRE(agent.until([&] {
      viewer.poll();
      return viewer.bytes.size() == log.disk->bytes.size();
    }));
    log.append(50);
  }
  CHECK(viewer.in_order);
  CHECK(std::equal(viewer.bytes.begin(), viewer.bytes.end(), log.disk->bytes.begin()));
}

TEST_CASE("status and stop reach the agent and its answers come back, also while following") {
  TestAgent agent;
  LiveLog log(agent);
  Viewer viewer(agent.endpoint);
  viewer.follow(0, 0);
  viewer.client.send_status();
  viewer.client.send_stop(StopMode::kGraceful);
  viewer.client.send_stop(StopMode::kNow);
  REQUIRE(agent.until([&] { return agent.asked.size() == 3; }));
  CHECK(agent.asked[0].kind == ControlRequest::Kind::kStatus);
  CHECK(agent.asked[1].kind == ControlRequest::Kind::kStop);
  CHECK(agent.asked[2].kind == ControlRequest::Kind::kStopNow);
  for (const auto& request : agent.asked) {
    CHECK(request.run_id == "run-1");
    CHECK(request.run_token == agent.endpoint.run_token);
  }
  agent.server->reply(agent.asked[0], true, "training");
  agent.server->reply(agent.asked[1], false, "already stopping");
  REQUIRE(agent.until([&] {
    viewer.poll();
    return viewer.replies.size() == 2;
  }));
  CHECK(viewer.replies == std::vector<std::string>{"yes training", "no already stopping"});
}

TEST_CASE("asking waits for the answer, a refusal or the end of patience") {
  TestAgent agent;
  LiveLog log(agent);
  auto client = FollowClient::connect(agent.endpoint);
  REQUIRE(client);
  const auto answer = [&](bool ok) {
    agent.asked.clear();
    auto asked = std::async(std::launch::async,
                            [&] { return client->ask_stop(StopMode::kGraceful, kTimeoutNs); });
    REQUIRE(agent.until([&] { return agent.asked.size() == 1; }));
    agent.server->reply(agent.asked[0], ok, "as you say");
    return asked.get();
  };
  const auto yes = answer(true);
  REQUIRE(yes);
  CHECK(*yes == "as you say");
  const auto no = answer(false);
  REQUIRE_FALSE(no);
  CHECK(no.error().message.find("as you say") != std::string::npos);
  const auto silence = client->ask_status(20'000'000);
  REQUIRE_FALSE(silence);
  CHECK(silence.error().message.find("run-1") != std::string::npos);
  CHECK(client->silent_ns() >= 20'000'000);
}

TEST_CASE("who asks an agent that ends meanwhile does not wait for its answer") {
  TestAgent agent;
  const pid_t process = ::fork();
  REQUIRE(process >= 0);
  if (process == 0)
    for (;;) ::pause();
  AgentEndpoint endpoint = agent.endpoint;
  endpoint.agent_pid = process;
  endpoint.agent_start_ticks = process_start_ticks(process);
  auto client = FollowClient::connect(endpoint);
  REQUIRE(client);
  ::kill(process, SIGKILL);
  REQUIRE(::waitpid(process, nullptr, 0) == process);
  const auto answer = client->ask_stop(StopMode::kGraceful, kTimeoutNs);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message == "the agent of run run-1 ended before it answered");
}

}  // namespace
}  // namespace ringside::wire
