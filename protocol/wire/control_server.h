// The agent's end of the control channel: what viewers ask and its answers. What they show they
// read from the log's file. Used by one thread; the Authenticator outlives it.
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

/// A viewer's request to the agent. `ticket` is for reply().
struct ControlRequest {
  enum class Kind : std::uint8_t { kStatus, kStop, kStopNow };
  Kind kind = Kind::kStatus;
  std::uint64_t run_token = 0;  ///< from the viewer; not checked, may be of another run
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

  /// The next request that waits, if any; never blocks. Call until there is none.
  std::optional<ControlRequest> serve();
  void reply(const ControlRequest& request, bool ok, std::string_view text);
  /// Malformed frames, and such as no viewer sends.
  std::uint64_t refused() const;

 private:
  struct Impl;
  explicit ControlServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::wire
