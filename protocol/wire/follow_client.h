// A viewer's end of the viewer channel: the bytes of a live log from an offset on, and the
// requests a viewer may send to the agent. Reconnects by itself and continues without a gap. Used
// by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/wire/agent_endpoint.h"
#include "protocol/wire/poll_handle.h"
#include "protocol/wire/telemetry_sender.h"

namespace ringside::wire {

struct FollowEvent {
  enum class Kind : std::uint8_t {
    kNothing,  ///< timeout
    kBytes,    ///< `bytes` are the log's from `offset` on, exactly where the last ones ended
    kEnd,      ///< the log is complete; `offset` is its size
    kRefused,  ///< `text` says why; following has ended
    kReply,    ///< to a control request: `ok` and `text`
  };
  Kind kind = Kind::kNothing;
  std::uint64_t offset = 0;          ///< kReply and kRefused: number of the request
  std::span<const std::byte> bytes;  ///< ends with the next receive()
  bool ok = false;
  std::string text;
};

class FollowClient {
 public:
  /// Starts connecting and returns at once. Fails only when the endpoint is unusable.
  static Result<FollowClient> connect(const AgentEndpoint& endpoint);
  FollowClient(FollowClient&&) noexcept;
  FollowClient& operator=(FollowClient&&) noexcept;
  ~FollowClient();

  /// Follow the log of `node` from `offset` on: what is there and what comes, as one stream.
  /// Replaces an earlier request.
  void follow(Node node, std::uint64_t offset);

  /// The next event, waiting at most `timeout_ns` (0: only looks). An agent that does not answer
  /// is not an event: see silent_ns(), and is_alive() of agent_endpoint.h.
  FollowEvent receive(std::int64_t timeout_ns);

  /// Time since the last message from the agent, keep-alives (one every 2 s while following)
  /// included.
  std::int64_t silent_ns() const;

  /// Asks the agent; its answer is a later kReply.
  void send_status();
  void send_stop(StopMode mode);

  /// Asks for a client that follows nothing: sends the request and waits for the answer, at most
  /// `timeout_ns` and not for an agent that has ended.
  Result<std::string> ask_status(std::int64_t timeout_ns);
  Result<std::string> ask_stop(StopMode mode, std::int64_t timeout_ns);

  /// Readable when receive() may have something; call receive() at least once a second anyway.
  PollHandle poll_handle() const;

 private:
  struct Impl;
  explicit FollowClient(std::unique_ptr<Impl> impl);
  Result<std::string> wait_for_reply(std::int64_t timeout_ns);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::wire
