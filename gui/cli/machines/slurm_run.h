// `--slurm` of `ringside run` and `sweep`: the options for Slurm, the jobs of a plan, and staying
// with them while they wait, run and come back into the queue. Inside an allocation (`salloc`, a
// job's script) runs are steps of it instead. Main thread; options live until the command line is
// parsed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/cli/command.h"
#include "gui/cli/interrupts.h"
#include "gui/cli/script_options.h"
#include "gui/launch/plan.h"
#include "gui/launch/start.h"
#include "gui/place/places.h"

namespace ringside::cli {

struct SlurmOptions {
  bool on = false;
  slurm::Options typed;  ///< all but the next two
  int nodes = 0;
  int gpus_per_node = 0;
};

void add_slurm_options(Command& command, SlurmOptions& options);
/// A bad request if an option of Slurm was given without --slurm, if its value cannot be passed on,
/// or if sbatch (inside an allocation: srun) is missing here.
Result<void> check_slurm_options(const SlurmOptions& options);
/// Slurm with these options, or this machine. Asks Slurm about an allocation.
place::PlacePtr place_of(const SlurmOptions& options, const launch::Cancelled& cancelled);
/// Says in one sentence on which nodes the run is without --slurm inside an allocation of several
/// nodes; else empty.
std::string allocation_note(const SlurmOptions& options);

/// For --dry-run: the settings of the runs and what would be started for them, as text with the
/// job's script, or as JSON. The exit code.
Result<int> print_dry_run(const std::vector<TitledSettings>& runs,
                          const Result<std::vector<place::Preview>>& shown, bool json);

/// On standard error which jobs these runs are; nothing of those that are none.
void tell_jobs(const launch::Started& started);

/// watch_runs wherever the runs are, jobs of Slurm one by one: returns when every run has
/// ended, or when this program is to leave.
void stay(const launch::Started& started, const launch::Plan& plan, const Interrupts& interrupts,
          const std::string& on_alert = {}, std::int32_t since_attempt = 0);

}  // namespace ringside::cli
