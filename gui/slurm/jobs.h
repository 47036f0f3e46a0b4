// Jobs of Slurm and their runs: submits them, asks how they stand, ends them. Slurm's own programs
// do the work and are waited for, ten seconds at most each, sbatch a minute and a half. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/child.h"
#include "gui/launch/plan.h"
#include "gui/launch/start.h"
#include "gui/slurm/job_file.h"
#include "gui/slurm/job_state.h"
#include "gui/slurm/options.h"
#include "protocol/base/clock.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/control_client.h"

namespace ringside::slurm {

/// Path of sbatch. A bad request where this machine has none.
Result<std::string> find_sbatch();

/// sbatch is here and has a cluster: SLURM_CONF, SLURM_CONF_SERVER, or a slurm.conf where Slurm,
/// its daemon that fetches it, or a site that installs Slurm elsewhere, puts it. Programs alone are
/// on many a machine.
bool has_cluster();

/// Jobs for folders that have their settings; `in_turn`: each after the end of the one before it,
/// however that ended. Where one is refused, or it is cancelled meanwhile, none is left in the
/// queue; folders stay.
Result<launch::Started> submit(std::vector<launch::LockedFolder> runs, const launch::Plan& plan,
                               const Options& options, bool in_turn, const Clock& clock,
                               const launch::Cancelled& cancelled = {});
/// A bad request where a job of one of these runs has not ended: somebody else submitted it.
Result<void> refuse_queued(const std::vector<launch::LockedFolder>& runs);
/// A new attempt in the folder of a run that was a job before, with the options it had then. A bad
/// request for a copy of another machine's run, and where that job is not over or somebody else is
/// submitting the run.
Result<launch::Started> submit_again(const runlog::RunFolder& folder,
                                     const std::optional<messages::RunSpec>& spec,
                                     const Clock& clock);

/// What sbatch would get for this run; its folder has the name `RUN`. `after` as of sbatch_argv.
Result<std::vector<std::string>> planned_argv(const messages::RunSpec& spec, const Options& options,
                                              const std::filesystem::path& runs_dir,
                                              const std::string& after = {});

/// How the job of a run stands, as far as it is known here. A copy that was marked as live or ended
/// counts as what its agent wrote.
struct RunJob : launch::News {
  std::string job;  ///< empty: it is being submitted
  JobNews news;
};
/// A job of which Slurm says this. `of_own_srun`: it is a step of a person's own srun, whose agent
/// was there from the beginning; what squeue says is of the allocation, which may outlive it.
RunJob run_job(std::string job, JobNews news, bool of_own_srun);
/// Nothing where the run is not a job of Slurm. Reads two small files.
std::optional<RunJob> job_of(const runlog::RunFolder& folder);

/// Whether the run is a job whose folder does not say yet how it ended.
bool is_open(const runlog::RunFolder& folder);

/// Asks squeue once for all jobs of this user, where some run of the folder is one that has not
/// ended and it is time to ask again; how those ended that have is kept in their run folders.
/// Nothing is asked here about copies.
void refresh(const std::filesystem::path& runs_dir, const launch::Cancelled& cancelled = {});

/// Stops a run as launch::ask_stop does, also where it is a job: through the agent where it can be
/// reached, else by a signal to the agents of the job; one that waits is taken out of the queue at
/// once. No job of a copy from another machine or cluster is touched here, nor by cancel().
Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode);
/// The run is over: so is its job. Nothing where it is none.
void cancel(const runlog::RunFolder& folder);

}  // namespace ringside::slurm
