// A viewer's end of the control channel: what it may ask the agent of a run. Reconnects by itself.
// Used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "protocol/base/result.h"
#include "protocol/wire/agent_endpoint.h"
#include "protocol/wire/telemetry_sender.h"

namespace ringside::wire {

struct ControlReply {
  std::uint64_t number = 0;  ///< of the request
  bool ok = false;
  std::string text;
};

class ControlClient {
 public:
  /// Starts connecting and returns at once. Fails only when the endpoint is unusable.
  static Result<ControlClient> connect(const AgentEndpoint& endpoint);
  ControlClient(ControlClient&&) noexcept;
  ControlClient& operator=(ControlClient&&) noexcept;
  ~ControlClient();

  /// Asks how the run goes; the answer comes with a later receive().
  void send_status();
  /// The next answer, waiting at most `timeout_ns` (0: only looks). An agent that does not answer
  /// is not an event: see silent_ns(), and is_alive() of agent_endpoint.h.
  std::optional<ControlReply> receive(std::int64_t timeout_ns);
  /// Time since the last answer, or since connect().
  std::int64_t silent_ns() const;

  /// Asks and waits for the answer, at most `timeout_ns` and not for an agent that has ended.
  Result<std::string> ask_status(std::int64_t timeout_ns);
  Result<std::string> ask_stop(StopMode mode, std::int64_t timeout_ns);

 private:
  struct Impl;
  explicit ControlClient(std::unique_ptr<Impl> impl);
  Result<std::string> wait_for_reply(std::int64_t timeout_ns);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::wire
