// How the jobs of runs ended: finds runs whose end is unknown, asks Slurm, and stores the answer in
// their folders. Waits for Slurm's programs, up to ten seconds each. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/launch/child.h"
#include "gui/slurm/job_file.h"
#include "gui/slurm/job_state.h"
#include "protocol/base/result.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::slurm {

/// A job younger than this is not given up as forgotten: it may still be on its way to Slurm, since
/// sbatch is given less time than this.
inline constexpr std::int64_t kForgetNs = 120'000'000'000;

/// The job of a run whose end is not stored in the folder yet; nothing: there is none.
std::optional<JobFile> open_job(const runlog::RunFolder& folder);

using OpenJobs = std::vector<std::pair<runlog::RunFolder, JobFile>>;
/// Open jobs of all runs but copies and jobs without a number. Given the current time, also
/// includes jobs whose submission was cut off before the number was stored.
OpenJobs open_jobs(const std::filesystem::path& runs_dir, std::int64_t now_wall_ns = 0);

/// Finds the number of jobs without one by their name: whoever submitted them was killed after
/// Slurm had accepted the job and before the number was stored. Jobs that Slurm does not know by
/// that name are left out from then on.
void find_numbers(OpenJobs& open, const launch::Cancelled& cancelled);

/// The end of a job that squeue no longer lists: from sacct if the site keeps accounts, else from
/// scontrol; kForgotten if Slurm knows no such job. Fails if neither answered.
Result<JobReport> ask_for_end(const std::string& job, const launch::Cancelled& cancelled = {});

/// Stores how jobs ended that were in squeue's answer `before` and are not in `now`. If the end of
/// a job cannot be found, nothing is stored, and the next answer of squeue tries it again.
void keep_ends(const OpenJobs& open, const Queue& before, const Queue& now, std::int64_t wall_ns,
               const launch::Cancelled& cancelled);

/// Detaches a run that was copied from another cluster from its job. A known end is kept as text
/// with its job number; otherwise the file is removed.
Result<void> disown_job(const runlog::RunFolder& folder);

}  // namespace ringside::slurm
