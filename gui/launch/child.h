// Runs short-lived programs of ours and captures their output. No shell; blocks up to the deadline.
// Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::launch {

struct Captured {
  int exit_code = -1;  ///< 128 + signal if a signal ended it
  std::string output;  ///< standard output, at most 1 MiB
  std::string errors;  ///< standard error, at most 1 MiB
};

/// Polled while waiting; true: the person has changed their mind.
using Cancelled = std::function<bool()>;

/// Runs a program; argv[0] is a path. The child has a process group of its own, so that Ctrl-C in a
/// terminal reaches only the caller. Returns when the child has ended, even if a process that it
/// left behind keeps its output open. Fails, and kills the child, if it has not ended after
/// `limit_ns` or is cancelled; also fails if it cannot be started.
///
/// `environment`: changes to this process's environment: "NAME=value" sets, "NAME" removes a
/// variable.
Result<Captured> capture(const std::vector<std::string>& argv, std::int64_t limit_ns,
                         const Cancelled& cancelled = {},
                         const std::vector<std::string>& environment = {});

struct CapturedSoFar : Captured {
  std::string cut;  ///< why it was killed; empty: it ended by itself
};
/// Runs a program like capture(), but keeps what it printed before it was killed: fails only if it
/// cannot be started.
Result<CapturedSoFar> capture_so_far(const std::vector<std::string>& argv, std::int64_t limit_ns,
                                     const Cancelled& cancelled = {},
                                     const std::vector<std::string>& environment = {});

}  // namespace ringside::launch
