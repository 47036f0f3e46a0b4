// The profile of a rank (by Kineto of PyTorch) as events of the run's trace. Pure.
// Format: the JSON of torch.profiler's export_chrome_trace, whose times are us from
// baseTimeNanoseconds on the wall clock, and whose member "ringside" is the rank's
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

/// `at_us`: the time in the trace of a moment on the rank's monotonic clock, in ns. An error where
/// the text is no such profile.
Result<RankProfile> rank_profile(Rank rank, const std::string& json,
                                 const std::function<double(std::int64_t mono_ns)>& at_us);

}  // namespace ringside::session
