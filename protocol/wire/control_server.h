// The agent's end of the control channel: requests of viewers and the replies. Viewers read what
// they show from the log file. Used by one thread; the Authenticator must outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "protocol/wire/authenticator.h"
#include "protocol/wire/poll_handle.h"

namespace ringside::wire {

/// A viewer's request to the agent. `ticket` is passed to reply().
struct ControlRequest {
  enum class Kind : std::uint8_t { kStatus, kStop, kStopNow };
  Kind kind = Kind::kStatus;
  std::uint64_t run_token = 0;  ///< from the viewer; not checked, may belong to another run
  std::string ticket;
};

class ControlServer {
 public:
  static Result<std::unique_ptr<ControlServer>> open(Authenticator& authenticator);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  std::string endpoint() const;
  PollHandle poll_handle() const;

  /// The next pending request, if any; never blocks. Call until it returns none.
  std::optional<ControlRequest> serve();
  void reply(const ControlRequest& request, bool ok, std::string_view text);
  /// Number of frames that were malformed or that viewers may not send.
  std::uint64_t refused() const;

 private:
  struct Impl;
  explicit ControlServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::wire
