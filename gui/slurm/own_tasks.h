// A run whose ranks are the tasks of a person's own srun: `srun --ntasks=8 ringside run ...` starts
// this program in every task. The task of rank 0 creates the run, starts the agent of its node and
// stays. The other tasks learn from it where the run folder is; the first task of each further node
// becomes the node's agent, every other task one rank. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/plan.h"
#include "gui/launch/start/start.h"
#include "protocol/base/slurm_task.h"

namespace ringside::slurm {

/// The task that this process is; nothing if it is in no step, or the only task of one.
Result<std::optional<SlurmTask>> own_task();

/// The settings with the ranks and nodes that srun has started. `sets`: a person's settings such as
/// `devices.world_size=4`. `has_gpu`: this task sees a GPU, which decides what "auto" means.
/// Returns a bad request if a setting contradicts what srun started.
Result<messages::RunSpec> on_tasks(messages::RunSpec spec, const SlurmTask& task,
                                   const std::vector<std::string>& sets, bool has_gpu);

/// "srun has started 8 tasks on 2 nodes: each is a rank"
std::string words_of(const SlurmTask& task);

/// How the other tasks learn from rank 0 where the run folder is: through a file of the step in the
/// runs folder, which every node sees. Rank 0 creates it before it decides anything. A task that
/// reads it only after rank 0 has left finds that there is no run to join.
class TaskRendezvous {
 public:
  TaskRendezvous(const std::filesystem::path& runs_dir, SlurmTask task);
  TaskRendezvous(const TaskRendezvous&) = delete;
  TaskRendezvous& operator=(const TaskRendezvous&) = delete;
  ~TaskRendezvous();
  const SlurmTask& task() const { return task_; }

  /// Announces the folders in this order. Each is recorded as a step of this job that has begun.
  Result<void> tell(const std::vector<runlog::RunFolder>& runs);
  /// Announces that the runs have ended or never began, and that this program exits with this code.
  void end(int exit_code);

 private:
  std::filesystem::path file_;
  SlurmTask task_;
  std::vector<runlog::RunFolder> runs_;
};

/// Waits up to two minutes for tell(). Empty: rank 0 has left and has reported why.
Result<std::vector<std::string>> wait_for_runs(const std::filesystem::path& runs_dir,
                                               const SlurmTask& task,
                                               const launch::Cancelled& cancelled);

/// The command line that a task other than that of rank 0 executes.
std::vector<std::string> task_argv(const std::string& agent, const SlurmTask& task,
                                   const std::vector<std::string>& runs);

}  // namespace ringside::slurm
