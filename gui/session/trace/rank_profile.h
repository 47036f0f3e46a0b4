// Converts a rank's profile, as written by Kineto of PyTorch, to events of the run's trace. Pure.
// Format: the JSON of torch.profiler's export_chrome_trace, whose times are us since
// baseTimeNanoseconds on the wall clock, with a member "ringside" added by the rank
// (trainer/agent/RANKS.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"

namespace ringside::session {

struct RankProfile {
  Rank rank = 0;
  std::vector<std::string> events;  ///< JSON objects
};

/// `at_us`: converts the rank's monotonic clock in ns to us in the trace. Fails if the text is not
/// such a profile.
Result<RankProfile> rank_profile(Rank rank, const std::string& json,
                                 const std::function<double(std::int64_t mono_ns)>& at_us);

}  // namespace ringside::session
