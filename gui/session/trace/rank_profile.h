// The profile of a rank (by Kineto of PyTorch) as events of the run's trace, and how long each
// of its operations took. Pure.
// Format: the JSON of torch.profiler's export_chrome_trace, whose times are us from
// baseTimeNanoseconds on the wall clock, and whose member "ringside" is the rank's
// (trainer/agent/RANKS.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gui/view/table.h"
#include "protocol/base/ids.h"
#include "protocol/base/result.h"

namespace ringside::session {

struct RankProfile {
  Rank rank = 0;
  std::vector<std::string> events;  ///< JSON objects
  /// Time by operation: of a kernel its own, of an operator without those that it called.
  std::map<std::string, double> spent_us;
};

/// `at_us`: the time in the trace of a moment on the rank's monotonic clock, in ns. An error where
/// the text is no such profile.
Result<RankProfile> rank_profile(Rank rank, const std::string& json,
                                 const std::function<double(std::int64_t mono_ns)>& at_us);

/// The operations whose time differs most between ranks, mean of `steps` steps in ms, first the
/// one with the largest difference; `most` rows.
view::Table operations_table(const std::vector<RankProfile>& profiles, Step steps,
                             std::size_t most);

}  // namespace ringside::session
