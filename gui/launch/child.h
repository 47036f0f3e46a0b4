// Short-lived programs of ours whose output is wanted. No shell; blocks up to the deadline. Any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::launch {

struct Captured {
  int exit_code = -1;  ///< 128 + signal when a signal ended it
  std::string output;  ///< standard output, at most 1 MiB
  std::string errors;  ///< standard error, at most 1 MiB
};

/// argv[0] is a path. Fails when it cannot be started or has not ended after `limit_ns` (it is
/// killed then).
Result<Captured> capture(const std::vector<std::string>& argv, std::int64_t limit_ns);

}  // namespace ringside::launch
