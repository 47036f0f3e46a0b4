// The Slurm allocation in which this program runs (`salloc`, or the script of a job), and the steps
// that runs inside it become: each has an agent on its nodes and uses the same script as a job of
// our own. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/machine.h"
#include "gui/slurm/job_state.h"
#include "gui/slurm/options.h"
#include "protocol/base/variables.h"

namespace ringside::slurm {

struct Allocation {
  std::string job;
  std::string node_list;  ///< "n[1-2]"
  std::int64_t nodes = 1;
  std::int64_t cores_per_node = 1;  ///< lowest core count of its nodes
  std::int64_t gpus_per_node = 0;   ///< 0: none, or not known
  /// Reason, e.g. "its time limit was reached"; empty: not known to have ended.
  std::string ended{};
  std::string gpus_unknown{};  ///< why the number of GPUs is unknown; empty: gpus_per_node holds
  bool operator==(const Allocation&) const = default;
};
/// "Slurm job 12"
std::string name_of(const Allocation& allocation);
/// "n[1-2], 2 nodes with 4 GPUs each"
std::string nodes_of(const Allocation& allocation);

/// Finds the allocation in the variables that Slurm sets for salloc, a job's script and its steps;
/// nothing: in none.
std::optional<Allocation> find_allocation(const Variables& variables);
/// The allocation that this process runs in.
std::optional<Allocation> own_allocation();
/// Adds what `scontrol show job` reports: whether the allocation has ended, and its GPUs, which the
/// environment of `salloc --gres` does not name.
Allocation with_news(Allocation allocation, std::string_view scontrol);
/// Adds what scontrol's error message says: either Slurm has forgotten the allocation, so it is
/// over, or nothing more is known about it.
Allocation without_news(Allocation allocation, const std::string& complaint);

/// Adds to a machine that sees no GPU though the allocation has some the reason why ranks that stay
/// here use the CPU: only steps see those GPUs.
launch::Machine seen_inside(launch::Machine machine, const std::optional<Allocation>& allocation);

/// Returns a bad request that says how the allocation ended.
Result<void> refuse_ended(const Allocation& allocation);

/// Nodes and GPUs as the allocation has them, or fewer if asked for. `kind`: kind of the devices;
/// "cpu" takes no GPUs. A bad request names options that cannot change in an existing allocation,
/// or how the allocation ended; a failure says why it is unknown whether "auto" means GPUs here.
Result<Options> within(const Allocation& allocation, const Options& asked, const std::string& kind);

struct Step {
  std::string folder;
  std::int64_t nodes = 1;
};
/// Arguments for `env` that run the steps one after the other. They share the allocation with other
/// steps (SLURM_OVERLAP): the agents decide who waits for devices, and the shell of `srun --pty` is
/// a step, too.
std::vector<std::string> steps_words(const Allocation& allocation, const std::string& agent,
                                     const std::vector<Step>& steps);

/// The part of the script that starts a step for each folder. kScript in the folder writes its exit
/// code into kExitFile, which is kept open because a resumed run replaces the file. Each run
/// creates that file first; a run whose file already exists is skipped.
extern const char* const kSteps;
inline constexpr const char* kExitFile = "slurm.exit";

/// The state of the job according to kExitFile; nothing while the step is not over.
std::optional<JobReport> parse_exit(std::string_view text);

/// Arguments of squeue that list the steps of a job, and the number of this run's step among them,
/// such as "12.3": `srun_step`, or if that is empty the step with the name that kScript gives it.
/// Empty: the run has no step now.
std::vector<std::string> steps_of_words(const std::string& job);
std::string find_step(std::string_view squeue, std::string_view run, std::string_view srun_step);

}  // namespace ringside::slurm
