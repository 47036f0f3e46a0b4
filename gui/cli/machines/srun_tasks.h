// `ringside run` and `resume` in the tasks of a person's own srun: which part this process has, and
// the parts that are not the command's own. Main thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "gui/cli/interrupts.h"
#include "gui/place/places.h"

namespace ringside::cli {

/// The part of this process in a step of several tasks.
struct TaskPart {
  SlurmTask task;
  /// Set in the task of rank 0, which goes on with the command; null in the others, which join.
  place::TasksPtr meeting;
};

/// Nothing: it is not such a task. In that of rank 0 a bad request where `detach` or `elsewhere`
/// (an option that starts the run in another place, by its name) was asked for.
Result<std::optional<TaskPart>> task_part(const std::filesystem::path& runs_dir,
                                          const Interrupts& interrupts, bool detach,
                                          const std::string& elsewhere);

/// Becomes the agent of its node, or the place of one rank, and does not return then. The exit code
/// where there is no run, or it cannot.
Result<int> join_run(const std::filesystem::path& runs_dir, const SlurmTask& task,
                     const Interrupts& interrupts);

/// A command that is for one process: in several tasks of srun all of them would do it.
Result<void> refuse_tasks(const std::string& instead);

}  // namespace ringside::cli
