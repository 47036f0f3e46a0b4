// Submits a job with sbatch. A printed number is the number of the job, even if sbatch fails
// afterwards; if it printed none, the job is looked up by its name, so that no job runs unnoticed.
// Waits for sbatch; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/child.h"
#include "protocol/base/result.h"

namespace ringside::slurm {

/// A controller under load answers late, and sbatch asks it more than once.
inline constexpr std::int64_t kSubmitNs = 90'000'000'000;

/// What the job of a run is called, and its step; kScript has it too.
std::string job_name(std::string_view run);

/// The number of the job. `argv`: as of sbatch_argv; `environment`: as of job_environment;
/// `earlier`: the job that the run was before, which may have the same name; empty: none.
Result<std::string> send_job(std::vector<std::string> argv, std::vector<std::string> environment,
                             const std::string& earlier, std::int64_t limit_ns = kSubmitNs);

/// The newest job of that name in the queue behind the earlier one; empty: there is none. Fails
/// where squeue does.
Result<std::string> find_job(const std::string& name, const std::string& earlier,
                             const launch::Cancelled& cancelled = {});

}  // namespace ringside::slurm
