// Slurm jobs of runs: submits them, asks for their state, ends them. Waits for Slurm's own
// programs, up to ten seconds each and 90 s for sbatch. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/child.h"
#include "gui/launch/plan.h"
#include "gui/launch/start/start.h"
#include "gui/slurm/job_file.h"
#include "gui/slurm/job_state.h"
#include "gui/slurm/options.h"
#include "protocol/base/clock.h"
#include "protocol/runlog/run_folder.h"
#include "protocol/wire/control_client.h"

namespace ringside::slurm {

/// Path of sbatch. Returns a bad request if this machine has none.
Result<std::string> find_sbatch();

/// Whether sbatch exists and a cluster is configured: SLURM_CONF, SLURM_CONF_SERVER, or a
/// slurm.conf in the folder of Slurm, of its daemon that fetches it, or beside an installation
/// elsewhere. Many machines have the programs without a cluster.
bool has_cluster();

/// Submits jobs for folders that have their settings. `in_turn`: each waits for the end of the one
/// before it, however that ended. If one is refused or the call is cancelled, all are removed from
/// the queue; folders stay.
Result<launch::Started> submit(std::vector<launch::LockedFolder> runs, const launch::Plan& plan,
                               const Options& options, bool in_turn, const Clock& clock,
                               const launch::Cancelled& cancelled = {});
/// Returns a bad request if a job of one of these runs has not ended: somebody else submitted it.
Result<void> refuse_queued(const std::vector<launch::LockedFolder>& runs);
/// Starts a new attempt of a run that was a job before, with the same options. Returns a bad
/// request for a copy of another machine's run, if its job is not over, or if somebody else is
/// submitting it.
Result<launch::Started> submit_again(const runlog::RunFolder& folder,
                                     const std::optional<messages::RunSpec>& spec,
                                     const Clock& clock);

/// Arguments of sbatch for this run, whose folder is written as `RUN`. `after` as for sbatch_argv.
Result<std::vector<std::string>> planned_argv(const messages::RunSpec& spec, const Options& options,
                                              const std::filesystem::path& runs_dir,
                                              const std::string& after = {});

/// State of the job of a run as far as it is known locally. A copy that was marked as live or ended
/// counts as what its agent wrote.
struct RunJob : launch::PlaceReport {
  std::string job;  ///< empty: it is being submitted
  JobReport report;
};
/// A job with this state. `of_own_srun`: the run is a step of a person's own srun, so its agent
/// existed from the start, and squeue reports on the allocation, which may outlive the run.
RunJob run_job(std::string job, JobReport report, bool of_own_srun);
/// Nothing if the run is not a Slurm job. Reads two small files.
std::optional<RunJob> job_of(const runlog::RunFolder& folder);

/// Whether the run is a job whose folder does not say yet how it ended.
bool is_open(const runlog::RunFolder& folder);

/// Calls squeue once for all jobs of this user if some run in the folder is a job that has not
/// ended and the last answer is old enough. Stores in the run folders how ended jobs ended. Ignores
/// copies.
void refresh(const std::filesystem::path& runs_dir, const launch::Cancelled& cancelled = {});

/// Stops a run like launch::ask_stop does, also if it is a job: through the agent if that can be
/// reached, otherwise by a signal to the job's agents. A job that waits is removed from the queue
/// at once. Neither this nor cancel() touches the job of a copy from another machine or cluster.
Result<std::string> ask_stop(const runlog::RunFolder& folder, wire::StopMode mode);
/// Cancels the job of a run that is over. Does nothing if there is none.
void cancel(const runlog::RunFolder& folder);

}  // namespace ringside::slurm
