// Asks the agent of a run to end it. Any thread; blocks until the agent has answered, some seconds
// at most.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/control_client.h"

namespace ringside::launch {

/// Whether an agent that comes up is still to be waited for, by how its log grows. It writes at two
/// moments before agent.json is there: it opens the log, and, after a driver that may be slow, says
/// that the run is queued. One whose log goes on growing without that file has lost it, and nobody
/// can ask it however long they wait.
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

/// An agent that was just started cannot be asked yet: returns when it can, when it is gone, when
/// it is at work without its agent.json, and at the latest after the time in which it must come up.
void wait_until_askable(const runlog::RunFolder& folder);

/// The agent's answer; fails where there is none to ask (any more).
Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode);

}  // namespace ringside::launch
