// Finds which task of a Slurm step (`srun`) a process is, from the variables that Slurm sets
// (srun(1), "Output environment variables"). Pure: reads only through `get`; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "protocol/base/variables.h"

namespace ringside {

/// True for a task of a step without torchrun's variables, which take precedence over Slurm's. The
/// batch script of a job has some of the same variables but is a single process, so it does not
/// count.
bool is_slurm_task(const Variables& get);

/// Number of tasks on a node of the step, from a list for all nodes in order such as "2(x3),1"
/// (SLURM_STEP_TASKS_PER_NODE); -1 when the list does not cover it.
int slurm_tasks_on(std::string_view list, int node);

/// One task of a step with several tasks.
struct SlurmTask {
  std::string job;   ///< "12"
  std::string step;  ///< number within the job: "0"
  int rank = 0;      ///< among all tasks of the step
  int local_rank = 0;
  int node = 0;  ///< index within the step, from 0
  int tasks = 1;
  int nodes = 1;
  std::string tasks_per_node;  ///< in the format of slurm_tasks_on()
  /// Equal for all tasks of this step and practically unique to it: it contains srun's port and the
  /// job's restart count. Letters, digits, '.', '-'.
  std::string key;
};

/// Empty when the process is not a task, is the only task, or was started within a task by a
/// launcher of ranks. A bad request when a variable is not a number, or when the tasks of a node do
/// not have consecutive ranks.
Result<std::optional<SlurmTask>> read_slurm_task(const Variables& get);

}  // namespace ringside
