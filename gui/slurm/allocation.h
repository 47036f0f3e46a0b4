// The allocation of Slurm in which this program runs (`salloc`, the script of a job), and what runs
// in it are made of: steps, each with an agent on its nodes, by the same script as a job of our
// own. Pure; any thread.
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
  std::int64_t cores_per_node = 1;  ///< the fewest of its nodes
  std::int64_t gpus_per_node = 0;   ///< 0: none, or not known
  std::string ended{};              ///< "its time limit was reached"; empty: nothing says so
  std::string gpus_unknown{};       ///< why nobody knows how many; empty: it is as above
  bool operator==(const Allocation&) const = default;
};
/// "Slurm job 12"
std::string name_of(const Allocation& allocation);
/// "n[1-2], 2 nodes with 4 GPUs each"
std::string nodes_of(const Allocation& allocation);

/// Finds the allocation in the variables that Slurm sets for salloc, a job's script and its steps;
/// nothing: in none.
std::optional<Allocation> find_allocation(const Variables& variables);
/// The allocation of this process.
std::optional<Allocation> own_allocation();
/// Adds what `scontrol show job` reports: whether the allocation has ended, and its GPUs, which the
/// environment of `salloc --gres` does not name.
Allocation with_news(Allocation allocation, std::string_view scontrol);
/// Takes scontrol's complaint instead: Slurm has forgotten the allocation, so it is over; or
/// nothing more is known of it.
Allocation without_news(Allocation allocation, const std::string& complaint);

/// The machine with a reason, where it sees no GPU though the allocation has some, which only steps
/// see: why ranks that stay here go to the CPU.
launch::Machine seen_inside(launch::Machine machine, const std::optional<Allocation>& allocation);

/// A bad request that says how it has ended.
Result<void> refuse_ended(const Allocation& allocation);

/// Nodes and GPUs as the allocation has them, or fewer where that was asked for; `kind`: of the
/// devices, "cpu" takes no GPUs. A bad request names what no allocation can change any more, or how
/// this one has ended; a failure says why nobody knows whether "auto" is GPUs here.
Result<Options> within(const Allocation& allocation, const Options& asked, const std::string& kind);

/// A run that is a step.
struct Step {
  std::string folder;
  std::int64_t nodes = 1;
};
/// The words behind `env` that run them one after the other. They share the allocation with other
/// steps (SLURM_OVERLAP): who waits for devices is for the agents to say, and the shell of
/// `srun --pty` is a step, too.
std::vector<std::string> steps_words(const Allocation& allocation, const std::string& agent,
                                     const std::vector<Step>& steps);

/// The part of the job's script that starts a step for each folder. kScript of the folder writes
/// its exit code into kExitFile, which is kept open, since a resumed run replaces the file. Each
/// run creates that file first; if it exists already, the run is skipped.
extern const char* const kSteps;
inline constexpr const char* kExitFile = "slurm.exit";

/// What that file says, as Slurm would; nothing while the step is not over.
std::optional<JobNews> parse_exit(std::string_view text);

/// The words of squeue for the steps of a job, and of those the step of this run: `srun_step`, or
/// where that is empty the one with the name that kScript gives it. "12.3"; empty: it has none now.
std::vector<std::string> steps_of_words(const std::string& job);
std::string find_step(std::string_view squeue, std::string_view run, std::string_view srun_step);

}  // namespace ringside::slurm
