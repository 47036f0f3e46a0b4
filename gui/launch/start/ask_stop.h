// Asks the agent of a run to end it. Any thread; blocks until the agent has answered, up to some
// seconds.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/control_client.h"

namespace ringside::launch {

/// Decides from the growth of the log whether a starting agent is still to be waited for. It writes
/// twice before agent.json exists: when it opens the log, and, after a possibly slow driver, when
/// it records that the run is queued. If the log keeps growing without that file, the file was lost
/// and the agent can never be asked.
class GrowingLog {
 public:
  explicit GrowingLog(std::uintmax_t bytes) : bytes_(bytes) {}
  /// Takes the size found by one poll of the log; true from the third moment of growth on.
  bool goes_on(std::uintmax_t bytes, std::int64_t now_ns);

 private:
  std::uintmax_t bytes_;
  std::int64_t moment_ns_ = 0;
  int moments_ = 0;
};

/// Waits for an agent that was just started. Returns when it can be asked, when it is gone, when it
/// works without its agent.json, and at the latest after its start-up time limit.
void wait_until_askable(const runlog::RunFolder& folder);

/// The agent's answer; fails if there is no agent to ask (any more).
Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode);

}  // namespace ringside::launch
