// `--slurm` of `ringside run` and `sweep`: the options for Slurm, the jobs of a plan, and staying
// with them while they wait, run and come back into the queue. Inside an allocation (`salloc`, a
// job's script) runs are steps of it instead. Main thread; options live until the command line is
// parsed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gui/cli/command.h"
#include "gui/cli/interrupts.h"
#include "gui/launch/plan.h"
#include "gui/launch/start_experiment.h"
#include "gui/slurm/jobs.h"

namespace ringside::cli {

struct SlurmOptions {
  bool on = false;
  std::string partition, account, time, qos, constraint;
  int nodes = 0;
  int gpus_per_node = 0;
  std::vector<std::string> more;
};

void add_slurm_options(Command& command, SlurmOptions& options);
/// A bad request where one of them stands without --slurm, its value cannot be handed on, or this
/// machine has no sbatch; inside an allocation, no srun.
Result<void> check_slurm_options(const SlurmOptions& options);
/// As they were typed.
slurm::Options typed_of_slurm(const SlurmOptions& options);
/// As gui/slurm has them: inside an allocation with what it has for devices of this kind. A bad
/// request where it has it not, a failure where Slurm does not say whether it has GPUs.
Result<slurm::Options> asked_of_slurm(const SlurmOptions& options, const std::string& kind);
/// Without --slurm, inside an allocation of several nodes: which of them the run is on, as one
/// sentence; else empty.
std::string allocation_note(const SlurmOptions& options);

/// What sbatch would get for each run, or how the steps would be started. `in_turn`: each after the
/// one before it, which has the number `JOB`.
Result<std::vector<std::vector<std::string>>> planned_jobs(const launch::Plan& plan,
                                                           const slurm::Options& options,
                                                           const std::filesystem::path& runs_dir,
                                                           bool in_turn = false);
/// For --dry-run: the same as text, and the script. The exit code.
int print_jobs(const launch::Plan& plan, const slurm::Options& options,
               const std::filesystem::path& runs_dir, bool in_turn = false);

/// Submits them, or starts their steps, and says so on standard error.
Result<launch::Experiment> submit_jobs(const launch::Plan& plan, const slurm::Options& options,
                                       const std::filesystem::path& runs_dir);

/// watch_experiment for runs that are jobs: returns when every run has ended, or when this program
/// is to leave.
void watch_jobs(const launch::Experiment& experiment, const launch::Plan& plan,
                const Interrupts& interrupts, const std::string& on_alert,
                std::int32_t since_attempt = 0);

}  // namespace ringside::cli
