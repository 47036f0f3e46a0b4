// A viewer's end of the control channel: its requests to the agent of a run. Reconnects
// automatically. Used by one thread at a time.
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
  std::uint64_t number = 0;  ///< number of the request
  bool ok = false;
  std::string text;
};

class ControlClient {
 public:
  /// Starts connecting and returns at once. Fails only for an unusable endpoint.
  static Result<ControlClient> connect(const AgentEndpoint& endpoint);
  ControlClient(ControlClient&&) noexcept;
  ControlClient& operator=(ControlClient&&) noexcept;
  ~ControlClient();

  /// Requests the status of the run; a later receive() returns the reply.
  void send_status();
  /// The next reply, waiting at most `timeout_ns` (0: does not wait). An agent that does not reply
  /// is no event: see silent_ns(), and is_alive() in agent_endpoint.h.
  std::optional<ControlReply> receive(std::int64_t timeout_ns);
  /// Time since the last reply, or since connect().
  std::int64_t silent_ns() const;

  /// Requests the status and waits for the reply, at most `timeout_ns`, and no longer than the
  /// agent lives.
  Result<std::string> ask_status(std::int64_t timeout_ns);
  Result<std::string> ask_stop(StopMode mode, std::int64_t timeout_ns);

 private:
  struct Impl;
  explicit ControlClient(std::unique_ptr<Impl> impl);
  Result<std::string> wait_for_reply(std::int64_t timeout_ns);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::wire
