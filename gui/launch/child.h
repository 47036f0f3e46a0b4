// Short-lived programs of ours whose output is wanted. No shell; blocks up to the deadline. Any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::launch {

struct Captured {
  int exit_code = -1;  ///< 128 + signal when a signal ended it
  std::string output;  ///< standard output, at most 1 MiB
  std::string errors;  ///< standard error, at most 1 MiB
};

/// Asked now and then by whoever waits; true: the person has changed their mind.
using Cancelled = std::function<bool()>;

/// argv[0] is a path. The child has a process group of its own, so that Ctrl-C in a terminal
/// reaches the caller alone. Over when it has ended, even if a process that it leaves behind keeps
/// its output open. Fails when it cannot be started, has not ended after `limit_ns` or is no longer
/// wanted (it is killed then).
///
/// `environment`: "NAME=value" beside what this process has, or instead of it; "NAME": without it.
Result<Captured> capture(const std::vector<std::string>& argv, std::int64_t limit_ns,
                         const Cancelled& cancelled = {},
                         const std::vector<std::string>& environment = {});

struct CapturedSoFar : Captured {
  std::string cut;  ///< why it was killed; empty: it ended by itself
};
/// Runs a program as capture() does, where what it printed before it was killed counts: fails only
/// when it cannot be started.
Result<CapturedSoFar> capture_so_far(const std::vector<std::string>& argv, std::int64_t limit_ns,
                                     const Cancelled& cancelled = {},
                                     const std::vector<std::string>& environment = {});

}  // namespace ringside::launch
