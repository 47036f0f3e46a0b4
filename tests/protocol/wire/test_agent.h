// The agent's ends of the wire for tests: real sockets that the test itself runs, without timing
// assumptions.
#pragma once

#include <map>
#include <stdexcept>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/messages/codec.h"
#include "protocol/wire/authenticator.h"
#include "protocol/wire/control_client.h"
#include "protocol/wire/control_server.h"
#include "protocol/wire/poller.h"
#include "protocol/wire/telemetry_receiver.h"
#include "protocol/wire/telemetry_sender.h"
#include "tests/support/memory_file.h"
#include "tests/support/patience.h"
#include "tests/support/sample_records.h"
#include "tests/support/temp_folder.h"

namespace ringside::wire {

inline constexpr std::int64_t kSecondNs = 1'000'000'000;
inline constexpr std::int64_t kTimeoutNs = testing::kPatienceNs;

inline std::vector<std::byte> payload_of(Node node, Rank rank, std::uint64_t first_seq,
                                         std::uint32_t count) {
  std::vector<std::byte> payload;
  for (std::uint64_t seq = first_seq; seq < first_seq + count; ++seq) {
    messages::append_record(payload, {node, rank, seq, 0},
                            support::step_report(static_cast<Step>(seq)));
  }
  return payload;
}

struct TestAgent {
  struct Heard {
    Batch::Kind kind;
    Rank rank;
    std::uint64_t lost_batches;
    std::vector<std::byte> payload;
  };

  explicit TestAgent(std::int32_t ranks = 2) {
    authenticator = std::move(*Authenticator::open());
    receiver = std::move(*TelemetryReceiver::open(*authenticator));
    server = std::move(*ControlServer::open(*authenticator));
    endpoint = *authenticator->authorize("run-1", receiver->endpoint(), server->endpoint());
    endpoint.local_socket = folder.path() / "agent.sock";
    expect(ranks);
    poller.add_fd(receiver->local_fd(), 1);
    poller.add(authenticator->poll_handle(), 0);
    poller.add(receiver->poll_handle(), 1);
    poller.add(server->poll_handle(), 2);
  }

  void expect(std::int32_t ranks, std::int32_t attempt = 0) {
    const auto listens =
        receiver->expect({endpoint.run_token, 0, 0, ranks, attempt, endpoint.local_socket});
    if (!listens) throw std::runtime_error(listens.error().message);
  }

  /// One iteration of the agent's loop.
  void turn(std::int64_t timeout_ns = 0) {
    while (auto batch = receiver->receive()) {
      heard.push_back({batch->kind, batch->rank, batch->lost_batches,
                       std::vector<std::byte>(batch->payload.begin(), batch->payload.end())});
    }
    while (auto control = server->serve()) asked.push_back(*control);
    if (timeout_ns > 0) (void)poller.wait(timeout_ns);
  }

  /// Runs the loop until `done()`; false at the timeout.
  template <class Done>
  bool until(Done done) {
    const std::int64_t deadline_ns = mono_now_ns() + kTimeoutNs;
    while (mono_now_ns() < deadline_ns) {
      turn();
      if (done()) return true;
      turn(5'000'000);
    }
    return false;
  }

  std::uint64_t refused(Refusal reason) const {
    return receiver->counts().refused[static_cast<std::size_t>(reason)];
  }
  std::size_t heard_of(Batch::Kind kind) const {
    std::size_t count = 0;
    for (const Heard& one : heard) count += one.kind == kind ? 1 : 0;
    return count;
  }

  TempFolder folder;
  std::unique_ptr<Authenticator> authenticator;
  std::unique_ptr<TelemetryReceiver> receiver;
  std::unique_ptr<ControlServer> server;
  AgentEndpoint endpoint;
  Poller poller;
  std::vector<Heard> heard;
  std::vector<ControlRequest> asked;
};

}  // namespace ringside::wire
