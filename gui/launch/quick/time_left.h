// Remaining time of a study, from the expected time of each run and the time that completed runs
// took. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace ringside::launch {

struct RunTime {
  double expected_s = 0;  ///< estimate from before the start; 0: unknown
  double took_s = 0;      ///< for a completed run; 0: not completed
};

/// Seconds until the last run has ended. The run at `current` has been running for `elapsed_s` and
/// estimates `left_s` itself. Expected times of later runs are scaled by how earlier ones turned
/// out. Nothing if a later run has no expected time, or the current one has no estimate.
std::optional<double> time_left_s(std::span<const RunTime> runs, std::size_t current,
                                  double elapsed_s, std::optional<double> left_s);

}  // namespace ringside::launch
