// The agent's door: its ZeroMQ context, its server key, and the keys it lets in. Every socket of an
// agent is made under one Gate, which must outlive it. No thread of its own: the agent's loop calls
// serve(). Used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/wire/agent_card.h"
#include "protocol/wire/poll_handle.h"

namespace ringside::wire {

/// Connections, counted since the gate was opened.
struct GateCounts {
  std::uint64_t admitted = 0;       ///< with a key of one of the runs
  std::uint64_t wrong_key = 0;      ///< refused: an unknown key
  std::uint64_t bad_handshake = 0;  ///< refused: no CURVE, a wrong server key, or not ZeroMQ at all
  std::uint64_t disconnected =
      0;  ///< connections that ended, for whatever reason (also: a frame above the size limit)
};

class Gate {
 public:
  static Result<std::unique_ptr<Gate>> open();
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Lets a run in: makes its key pair and token and returns the card to be written to its folder.
  Result<AgentCard> admit(const RunId& run_id, const std::string& telemetry_endpoint,
                          const std::string& viewer_endpoint);
  /// New connections with this run's key are refused from now on; existing ones stay.
  void dismiss(const AgentCard& card);

  /// Answers those who knock. Cheap when there is nobody; call it whenever its handle is ready. The
  /// receiving calls of TelemetryReceiver and FollowServer do it too.
  void serve();
  PollHandle poll_handle() const;
  const GateCounts& counts() const;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  explicit Gate(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::wire
