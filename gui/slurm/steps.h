// Runs as steps of the allocation in which this program runs: starts them through Slurm's own srun,
// says when one is over, ends one. The allocation itself is a person's and stays. Any thread; waits
// for a program of Slurm's ten seconds at most.
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

/// The allocation of this process, with what Slurm says of it; where Slurm does not answer, as the
/// environment has it, and why no more is known.
std::optional<Allocation> ask_allocation(const launch::Cancelled& cancelled = {});
/// What this machine offers, and what only steps of that allocation see.
Result<launch::Machine> read_machine(const launch::Cancelled& cancelled = {});

/// One process that starts a step for each of these folders, which have their settings, one after
/// the other and outlives this one. Where it fails, or is cancelled meanwhile, none of them begins;
/// folders stay.
Result<launch::Started> start_step_folders(std::vector<launch::LockedFolder> runs,
                                           const launch::Plan& plan, const Options& options,
                                           const Allocation& allocation, const Clock& clock,
                                           const launch::Cancelled& cancelled = {});
/// Waits until none of these runs is a step that Slurm still ends, some seconds at most: who
/// started it passes over the ones behind it that were taken out only then, and must not find them
/// anew.
void wait_for_ends(const std::vector<runlog::RunFolder>& runs, const launch::Cancelled& cancelled);
/// A new attempt of a run that was a step before, with these settings, which lie in its folder.
/// Blocks until its agent is there.
Result<launch::Started> start_step_again(const runlog::RunFolder& folder,
                                         const messages::RunSpec& settings, const Options& options,
                                         const Allocation& allocation, const Clock& clock);

/// The command line of start_step_folders; run folders have the name `RUN`.
Result<std::vector<std::string>> planned_steps(const launch::Plan& plan,
                                               const Allocation& allocation,
                                               const std::filesystem::path& runs_dir);

struct StepEnd {
  JobNews news;
  std::int64_t told_wall_ns = 0;
};
/// Nothing while the step runs, or waits for the one before it.
std::optional<StepEnd> step_end(const runlog::RunFolder& folder);

/// Whether the step's turn has come, or somebody took it out.
bool step_begun(const runlog::RunFolder& folder);

/// Stops a step through Slurm, where its agent cannot be reached from here: a signal to the step;
/// one that has not begun never will.
Result<std::string> stop_step(const runlog::RunFolder& folder, const JobFile& file,
                              wire::StopMode mode);

}  // namespace ringside::slurm
