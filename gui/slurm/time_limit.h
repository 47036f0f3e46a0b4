// Checks a job's time limit against the warning that Slurm sends before it: a run that is warned as
// soon as it starts saves a checkpoint and returns to the queue again and again without progress.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/base/result.h"

namespace ringside::slurm {

/// Seconds before the limit at which Slurm signals the run, which then saves a checkpoint and is
/// requeued.
inline constexpr std::int64_t kWarnedS = 120;
/// Precision of that signal in seconds: it may come this much earlier (sbatch(1), --signal).
inline constexpr std::int64_t kEarlyS = 60;

/// Seconds of "30", "30:00", "2:00:00", "1-0", "1-12:30" or "1-12:30:00", in whole minutes as in
/// Slurm. Nothing if the text is none of these or means no limit; sbatch reports what is wrong with
/// it.
std::optional<std::int64_t> limit_seconds(std::string_view text);

/// Returns a bad request if the warning may come as soon as the job starts.
Result<void> check_time_limit(std::string_view text);

}  // namespace ringside::slurm
