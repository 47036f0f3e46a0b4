// The time limit of a job against the warning before it: a run that is warned as it starts saves a
// checkpoint and goes back into the queue, again and again, and never gets on. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/base/result.h"

namespace ringside::slurm {

/// Seconds before the limit at which Slurm signals the run: a checkpoint, then the queue again.
inline constexpr std::int64_t kWarnedS = 120;
/// Slurm's clock for it is that coarse: the signal may come so much earlier (sbatch(1), --signal).
inline constexpr std::int64_t kEarlyS = 60;

/// Seconds of "30", "30:00", "2:00:00", "1-0", "1-12:30" or "1-12:30:00", in whole minutes as Slurm
/// has them. Nothing where it is none of these, or no limit: sbatch says what is wrong with it.
std::optional<std::int64_t> limit_seconds(std::string_view text);

/// A bad request where the warning may come as soon as the job starts.
Result<void> check_time_limit(std::string_view text);

}  // namespace ringside::slurm
