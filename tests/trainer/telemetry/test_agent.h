// The agent's ends of the wire and its endpoint in a folder, for tests of a rank's end. Real
// sockets, run by the test itself.
#pragma once

#include <atomic>
#include <thread>

#include "protocol/wire/authenticator.h"
#include "protocol/wire/poller.h"
#include "protocol/wire/telemetry_receiver.h"
#include "protocol/wire/telemetry_sender.h"
#include "tests/support/catch.h"
#include "tests/support/patience.h"
#include "tests/support/record_list.h"
#include "tests/support/temp_folder.h"
#include "trainer/telemetry/reporter.h"

namespace ringside::telemetry {

inline constexpr std::int64_t kTimeoutNs = testing::kPatienceNs;

struct TestAgent {
  TestAgent() {
    authenticator = std::move(*wire::Authenticator::open());
    receiver = std::move(*wire::TelemetryReceiver::open(*authenticator));
    endpoint = *authenticator->authorize("run", receiver->endpoint(), "tcp://127.0.0.1:1");
    REQUIRE(wire::write_agent_endpoint(endpoint_path(), endpoint));
    REQUIRE(receiver->expect(
        {endpoint.run_token, 0, 0, 1, 0, wire::local_socket_path(endpoint_path())}));
    poller.add_fd(receiver->local_fd(), 1);
    poller.add(authenticator->poll_handle(), 0);
    poller.add(receiver->poll_handle(), 1);
  }

  std::filesystem::path endpoint_path() const { return folder.path() / "agent.json"; }

  void turn(std::int64_t timeout_ns) {
    authenticator->serve();
    while (const auto batch = receiver->receive()) {
      messages::decode_records(batch->payload, records, counts);
      if (batch->kind == wire::Batch::Kind::kGoodbye) goodbye = true;
    }
    (void)poller.wait(timeout_ns);
  }

  template <class Done>
  bool until(Done done) {
    const std::int64_t deadline_ns = mono_now_ns() + kTimeoutNs;
    while (!done() && mono_now_ns() < deadline_ns) turn(2'000'000);
    return done();
  }

  // Lets the reporter end while this thread runs the agent.
  ReporterCounts finish(Reporter& reporter, std::int64_t budget_ns) {
    ReporterCounts result;
    while_ending([&] { result = reporter.finish(budget_ns); });
    return result;
  }

  // Runs the agent until a call that waits for it has returned.
  template <class Call>
  void while_ending(Call&& call) {
    std::atomic<bool> ended{false};
    std::thread ending([&] {
      call();
      ended.store(true);
    });
    until([&] { return ended.load(); });
    ending.join();
    turn(0);
  }

  TempFolder folder;
  std::unique_ptr<wire::Authenticator> authenticator;
  std::unique_ptr<wire::TelemetryReceiver> receiver;
  wire::AgentEndpoint endpoint;
  wire::Poller poller;
  support::RecordList records;
  messages::DecodeCounts counts;
  bool goodbye = false;
};

}  // namespace ringside::telemetry
