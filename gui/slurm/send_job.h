// Hands a job to sbatch. One that does not answer in time may have submitted it all the same: the
// job is looked for then, so that none runs that nobody knows. Waits for sbatch; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace ringside::slurm {

/// A controller under load answers late, and sbatch asks it more than once.
inline constexpr std::int64_t kSubmitNs = 90'000'000'000;

/// The number of the job. `argv`: as of sbatch_argv; `environment`: as of job_environment;
/// `earlier`: the job that the run was before, which may have the same name; empty: none.
Result<std::string> send_job(std::vector<std::string> argv, std::vector<std::string> environment,
                             const std::string& earlier, std::int64_t limit_ns = kSubmitNs);

}  // namespace ringside::slurm
