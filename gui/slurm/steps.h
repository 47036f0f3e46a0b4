// Runs as steps of the allocation in which this program runs: starts them through Slurm's own srun,
// reports when a step is over, ends one. The allocation itself belongs to a person and stays. Any
// thread; waits up to ten seconds for a Slurm program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/plan.h"
#include "gui/slurm/allocation.h"
#include "gui/slurm/job_file.h"
#include "gui/slurm/jobs.h"

namespace ringside::slurm {

/// The allocation of this process with what Slurm reports about it. If Slurm does not answer: as
/// the environment describes it, with the reason why no more is known.
std::optional<Allocation> ask_allocation(const launch::Cancelled& cancelled = {});
/// The devices of this machine, and those of the allocation that only steps see.
Result<launch::Machine> read_machine(const launch::Cancelled& cancelled = {});

/// Starts one process that outlives this one and runs a step for each of these folders, which have
/// their settings, one after the other. If that fails or is cancelled, none of them begins; folders
/// stay.
Result<launch::Started> start_step_folders(std::vector<launch::LockedFolder> runs,
                                           const launch::Plan& plan, const Options& options,
                                           const Allocation& allocation, const Clock& clock,
                                           const launch::Cancelled& cancelled = {});
/// Waits, for some seconds at most, until Slurm has ended the steps of these runs. The process that
/// started them still has to skip the later steps that were taken out, and must not find those
/// restarted.
void wait_for_ends(const std::vector<runlog::RunFolder>& runs, const launch::Cancelled& cancelled);
/// Starts a new attempt of a run that was a step before, with these settings, which are in its
/// folder. Blocks until its agent has started.
Result<launch::Started> start_step_again(const runlog::RunFolder& folder,
                                         const messages::RunSpec& settings, const Options& options,
                                         const Allocation& allocation, const Clock& clock);

/// The command line of start_step_folders, with run folders written as `RUN`.
Result<std::vector<std::string>> planned_steps(const launch::Plan& plan,
                                               const Allocation& allocation,
                                               const std::filesystem::path& runs_dir);

struct StepEnd {
  JobReport report;
  std::int64_t reported_wall_ns = 0;
};
/// Nothing while the step runs or waits for the one before it.
std::optional<StepEnd> step_end(const runlog::RunFolder& folder);

/// Whether the step's turn has come, or somebody took it out.
bool step_begun(const runlog::RunFolder& folder);

/// Stops a step through Slurm if its agent cannot be reached from here: signals the step, or takes
/// it out if it has not begun.
Result<std::string> stop_step(const runlog::RunFolder& folder, const JobFile& file,
                              wire::StopMode mode);

}  // namespace ringside::slurm
