// The agent's end of the viewer channel: serves the bytes of its runs' logs to any number of
// viewers, each from the offset it asks for, and passes on their requests to the agent. The memory
// that a slow, frozen or vanished viewer can occupy is bounded by the credit it gave. Used by
// one thread; the Authenticator outlives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/byte_file.h"
#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/wire/authenticator.h"
#include "protocol/wire/poll_handle.h"

namespace ringside::wire {

/// A viewer's request to the agent. `ticket` is for reply().
struct ControlRequest {
  enum class Kind : std::uint8_t { kStatus, kStop, kStopNow };
  Kind kind = Kind::kStatus;
  std::uint64_t run_token = 0;  ///< of one of the added logs
  RunId run_id;
  std::string ticket;
};

struct FollowCounts {
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;  ///< malformed, of an unknown run, or above the number of viewers
  std::uint64_t sent_bytes = 0;
  std::size_t followers = 0;  ///< now
};

class FollowServer {
 public:
  static constexpr std::size_t kMaxFollowers = 64;
  static constexpr std::uint32_t kMaxCreditBytes = 1U
                                                   << 20;  ///< most bytes on the way to one viewer
  static constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

  static Result<std::unique_ptr<FollowServer>> open(Authenticator& authenticator);
  ~FollowServer();
  FollowServer(const FollowServer&) = delete;
  FollowServer& operator=(const FollowServer&) = delete;

  std::string endpoint() const;
  PollHandle poll_handle() const;

  /// A second, reading handle on a log.
  using OpenLog = std::function<Result<std::unique_ptr<ByteFile>>()>;

  /// A log of which `end_bytes` may be served. It is opened when a viewer wants it and closed when
  /// none does, so that runs that wait or are over hold no descriptor.
  void add_log(std::uint64_t run_token, const RunId& run_id, Node node, OpenLog open,
               std::uint64_t end_bytes);
  /// More of it is whole now (LogWriter::end_bytes); sent by the next serve().
  void notify_appended(std::uint64_t run_token, Node node, std::uint64_t end_bytes);
  /// The log is complete: viewers that have all of it are sent the end.
  void finish_log(std::uint64_t run_token, Node node);

  /// Handles every waiting request and sends what viewers have credit for; never blocks. Returns a
  /// control request when one came: answer it and call again. Call once per turn of the loop.
  std::optional<ControlRequest> serve();
  void reply(const ControlRequest& request, bool ok, std::string_view text);

  /// True when every viewer has been sent all there is, the end included: the agent may leave.
  bool drained() const;
  const FollowCounts& counts() const;

 private:
  struct Impl;
  explicit FollowServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::wire
