// How long a study takes yet: from what was expected of each run before the start, and what
// those that are over really took. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace ringside::launch {

struct RunTime {
  double expected_s = 0;  ///< before the start; 0: not known
  double took_s = 0;      ///< of one that is over; 0: it is not
};

/// Seconds until the last run is over, while the one at `current` goes on since `elapsed_s` and
/// says itself that `left_s` are left. What was expected of the runs to come is held against what
/// those before took. Nothing where a run to come has no expected time, or this one tells nothing.
std::optional<double> time_left_s(std::span<const RunTime> runs, std::size_t current,
                                  double elapsed_s, std::optional<double> left_s);

}  // namespace ringside::launch
