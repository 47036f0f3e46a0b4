// Submits a job with sbatch. A printed number is the job's number even if sbatch fails afterwards;
// if none was printed, the job is looked up by its name, so that no job runs unnoticed. Waits for
// sbatch; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/child.h"
#include "protocol/base/result.h"

namespace ringside::slurm {

/// Time limit of sbatch: a controller under load answers late, and sbatch asks it more than once.
inline constexpr std::int64_t kSubmitNs = 90'000'000'000;

/// Name of a run's job and of its step; kScript has the same name.
std::string job_name(std::string_view run);

/// Returns the job number. `argv`: as from sbatch_argv. `environment`: as from job_environment.
/// `earlier`: the run's previous job, which may have the same name; empty: none.
Result<std::string> send_job(std::vector<std::string> argv, std::vector<std::string> environment,
                             const std::string& earlier, std::int64_t limit_ns = kSubmitNs);

/// The newest job of that name in the queue that came after the earlier one; empty: there is none.
/// Fails if squeue does.
Result<std::string> find_job(const std::string& name, const std::string& earlier,
                             const launch::Cancelled& cancelled = {});

}  // namespace ringside::slurm
