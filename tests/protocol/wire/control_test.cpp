#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <future>

#include "protocol/wire/socket.h"
#include "tests/protocol/wire/tcp_proxy.h"
#include "tests/protocol/wire/test_agent.h"
#include "tests/support/catch.h"

namespace ringside::wire {
namespace {

/// Whether the agent answers a status request.
bool answers(TestAgent& agent, ControlClient& client) {
  client.send_status();
  return agent.until([&] {
    for (const auto& request : agent.asked) agent.server->reply(request, true, "training");
    agent.asked.clear();
    return client.receive(0).has_value();
  });
}

TEST_CASE("requests for status and stop reach the agent and are answered") {
  TestAgent agent;
  auto client = *ControlClient::connect(agent.endpoint);
  client.send_status();
  REQUIRE(agent.until([&] { return agent.asked.size() == 1; }));
  for (const StopMode mode : {StopMode::kGraceful, StopMode::kNow}) {
    const std::size_t before = agent.asked.size();
    auto stop = std::async(std::launch::async, [&] { return client.ask_stop(mode, kTimeoutNs); });
    REQUIRE(agent.until([&] { return agent.asked.size() == before + 1; }));
    agent.server->reply(agent.asked.back(), true, "stopping");
    CHECK(stop.get().value() == "stopping");
  }
  CHECK(agent.asked[0].kind == ControlRequest::Kind::kStatus);
  CHECK(agent.asked[1].kind == ControlRequest::Kind::kStop);
  CHECK(agent.asked[2].kind == ControlRequest::Kind::kStopNow);
  for (const auto& request : agent.asked) CHECK(request.run_token == agent.endpoint.run_token);
  agent.server->reply(agent.asked[0], true, "training");
  std::optional<ControlReply> late;
  REQUIRE(agent.until([&] { return (late = client.receive(0)).has_value(); }));
  CHECK(late->number == 1);
  CHECK(late->ok);
  CHECK(late->text == "training");
}

TEST_CASE("a request waits for its answer, a refusal or the timeout") {
  TestAgent agent;
  auto client = ControlClient::connect(agent.endpoint);
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

TEST_CASE("a request to an agent that ends meanwhile does not wait for the timeout") {
  TestAgent agent;
  const pid_t process = ::fork();
  REQUIRE(process >= 0);
  if (process == 0)
    for (;;) ::pause();
  AgentEndpoint endpoint = agent.endpoint;
  endpoint.agent_pid = process;
  endpoint.agent_start_ticks = process_start_ticks(process);
  auto client = ControlClient::connect(endpoint);
  REQUIRE(client);
  ::kill(process, SIGKILL);
  REQUIRE(::waitpid(process, nullptr, 0) == process);
  const auto answer = client->ask_stop(StopMode::kGraceful, kTimeoutNs);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message == "the agent of run run-1 ended before it answered");
}

TEST_CASE("a viewer is answered again after its connection broke") {
  TestAgent agent;
  TcpProxy proxy(agent.server->endpoint());
  AgentEndpoint endpoint = agent.endpoint;
  endpoint.viewer_endpoint = proxy.endpoint();
  auto client = *ControlClient::connect(endpoint);
  REQUIRE(answers(agent, client));
  proxy.cut();
  REQUIRE(agent.until([&] { return proxy.cuts_done() == 1; }));
  // A request during the break may be lost.
  CHECK(agent.until([&] {
    client.send_status();
    for (const auto& request : agent.asked) agent.server->reply(request, true, "training");
    agent.asked.clear();
    return client.receive(0).has_value();
  }));
}

TEST_CASE("an older viewer that requests bytes of a log is told to read the file") {
  TestAgent agent;
  const Context context;
  auto viewer = open_dealer(context, agent.endpoint, agent.endpoint.viewer_endpoint);
  REQUIRE(viewer);
  Frame frame;
  frame.kind = FrameKind::kFollow;
  frame.run_token = agent.endpoint.run_token;
  frame.number = 7;
  REQUIRE(viewer->send_frame(frame));
  Message answer;
  REQUIRE(agent.until([&] { return viewer->receive(answer); }));
  REQUIRE(decode_frame(answer.bytes(), frame) == FrameVerdict::kGood);
  CHECK(frame.kind == FrameKind::kRefused);
  CHECK(frame.number == 7);
}

TEST_CASE("invalid messages on the control channel are counted and not answered") {
  TestAgent agent;
  const Context context;
  auto rogue = open_dealer(context, agent.endpoint, agent.endpoint.viewer_endpoint);
  REQUIRE(rogue);
  Frame frame;
  frame.run_token = agent.endpoint.run_token;
  for (const FrameKind kind :
       {FrameKind::kHello, FrameKind::kRefused, FrameKind::kReply, static_cast<FrameKind>(999)}) {
    frame.kind = kind;
    REQUIRE(rogue->send_frame(frame));
  }
  Message junk;
  REQUIRE(junk.resize(100));
  std::fill_n(junk.data(), 100, std::byte{0xAB});
  REQUIRE(rogue->send(junk.get(), true));
  Message empty;
  REQUIRE(rogue->send(empty.get()));
  CHECK(agent.until([&] { return agent.server->refused() == 5; }));
  const std::uint64_t before = agent.authenticator->counts().disconnected;
  Message huge;
  REQUIRE(huge.resize(10'000'000));
  std::fill_n(huge.data(), huge.size(), std::byte{0});
  REQUIRE(rogue->send(huge.get()));
  CHECK(agent.until([&] { return agent.authenticator->counts().disconnected > before; }));
  auto client = *ControlClient::connect(agent.endpoint);
  CHECK(answers(agent, client));
}

TEST_CASE("a reply to a viewer that is gone, or with an invalid ticket, is dropped") {
  TestAgent agent;
  {
    auto gone = *ControlClient::connect(agent.endpoint);
    gone.send_status();
    REQUIRE(agent.until([&] { return agent.asked.size() == 1; }));
  }
  REQUIRE(agent.until([&] { return agent.authenticator->counts().disconnected >= 1; }));
  agent.server->reply(agent.asked[0], true, "anyone there?");
  ControlRequest made_up;
  agent.server->reply(made_up, true, "");
  made_up.ticket = "12345678nobody";
  agent.server->reply(made_up, true, "");
  agent.asked.clear();
  auto client = *ControlClient::connect(agent.endpoint);
  CHECK(answers(agent, client));
}

}  // namespace
}  // namespace ringside::wire
