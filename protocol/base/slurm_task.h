// Tells which task of a step of Slurm (`srun`) a process is, by the variables that Slurm sets for
// it (srun(1), "Output environment variables"). Pure: reads only what `get` returns; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "protocol/base/variables.h"

namespace ringside {

/// A task to which nobody has given torchrun's variables over Slurm's. Not the script of a job,
/// which has some of the same variables but is one process.
bool is_slurm_task(const Variables& get);

/// How many tasks a node of the step has: "2(x3),1" (SLURM_STEP_TASKS_PER_NODE) names them for each
/// node in order. -1: not said.
int slurm_tasks_on(std::string_view list, int node);

/// One of several tasks of a step.
struct SlurmTask {
  std::string job;   ///< "12"
  std::string step;  ///< of the job: "0"
  int rank = 0;      ///< among all tasks of the step
  int local_rank = 0;
  int node = 0;  ///< of the step, from 0
  int tasks = 1;
  int nodes = 1;
  std::string tasks_per_node;  ///< as slurm_tasks_on() reads it
  /// The same for all tasks of this step and, as good as surely, for no other: the port at which
  /// its srun is heard and how often the job was started again are in it. Letters, digits, '.',
  /// '-'.
  std::string key;
};

/// Nothing where the process is not a task, the only one, or what a launcher of ranks has started
/// in one. A bad request where a variable is not a number, or where tasks are dealt out so that
/// those of a node do not follow each other.
Result<std::optional<SlurmTask>> read_slurm_task(const Variables& get);

}  // namespace ringside
