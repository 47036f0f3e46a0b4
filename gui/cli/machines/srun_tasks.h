// `ringside run` and `resume` in the tasks of a person's own srun: finds the role of this process
// and carries out the roles other than the command itself. Main thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "gui/cli/command/interrupts.h"
#include "gui/place/places.h"

namespace ringside::cli {

/// The role of this process in a step of several tasks.
struct TaskPart {
  SlurmTask task;
  /// Set in the task of rank 0, which continues with the command; null in the others, which join.
  place::TasksPtr meeting;
};

/// Returns nothing outside of such a step. A bad request in the task of rank 0 if `detach` or
/// `elsewhere` (the name of an option that starts the run in another place) was given.
Result<std::optional<TaskPart>> task_part(const std::filesystem::path& runs_dir,
                                          const Interrupts& interrupts, bool detach,
                                          const std::string& elsewhere);

/// Becomes the agent of its node, or the process of one rank, and then does not return. Returns the
/// exit code if there is no run, or this process cannot join it.
Result<int> join_run(const std::filesystem::path& runs_dir, const SlurmTask& task,
                     const Interrupts& interrupts);

/// Refuses a command for a single process, which all tasks of srun would execute.
Result<void> refuse_tasks(const std::string& instead);

}  // namespace ringside::cli
