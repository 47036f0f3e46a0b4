// Owns an agent's ZeroMQ context and server key, and authenticates connections by client key (ZAP).
// Every socket of an agent is opened through one Authenticator, which must outlive it. It has no
// thread: the agent's loop calls serve(). Used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/wire/agent_endpoint.h"
#include "protocol/wire/poll_handle.h"

namespace ringside::wire {

/// Counts of connections since the authenticator was opened.
struct AuthenticatorCounts {
  std::uint64_t authorized = 0;     ///< with the key of an authorized run
  std::uint64_t wrong_key = 0;      ///< refused: an unknown key
  std::uint64_t bad_handshake = 0;  ///< refused: no CURVE, a wrong server key, or not ZeroMQ
  std::uint64_t disconnected =
      0;  ///< connections that ended, for any reason (including a frame above the size limit)
};

class Authenticator {
 public:
  static Result<std::unique_ptr<Authenticator>> open();
  ~Authenticator();
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  /// Authorizes a run: creates its key pair and token, and returns the endpoint to write to its
  /// folder.
  Result<AgentEndpoint> authorize(const RunId& run_id, const std::string& telemetry_endpoint,
                                  const std::string& viewer_endpoint);
  /// Refuses new connections with this run's key from now on; existing connections stay.
  void revoke(const AgentEndpoint& endpoint);

  /// Handles pending authentication requests. Cheap when there are none; call it whenever its
  /// handle is ready. The receiving functions of TelemetryReceiver and ControlServer call it too.
  void serve();
  PollHandle poll_handle() const;
  const AuthenticatorCounts& counts() const;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  explicit Authenticator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::wire
