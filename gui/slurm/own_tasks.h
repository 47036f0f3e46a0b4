// A run whose ranks are the tasks of a person's own srun: `srun --ntasks=8 ringside run ...` starts
// this program in every task. That of rank 0 makes the run, starts the agent of its node and stays;
// the others learn from it where the run lies and become what the node needs: its agent, in the
// first task of each further node, or the place of one rank. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/launch/plan.h"
#include "gui/launch/start.h"
#include "protocol/base/slurm_task.h"

namespace ringside::slurm {

/// The task that this process is; nothing: of no step, or the only task of one.
Result<std::optional<SlurmTask>> own_task();

/// The settings with ranks and nodes as srun has started them. `sets`: what a person changed by
/// `devices.world_size=4`. `has_gpu`: this task sees one, which settles "auto". A bad request where
/// something was asked for that srun has decided otherwise.
Result<messages::RunSpec> on_tasks(messages::RunSpec spec, const SlurmTask& task,
                                   const std::vector<std::string>& sets, bool has_gpu);

/// "srun has started 8 tasks on 2 nodes: each is a rank"
std::string words_of(const SlurmTask& task);

/// How the other tasks learn from that of rank 0 where the run lies: a file of the step in the runs
/// folder, which every node sees. Made by rank 0 before it decides anything. A task that looks only
/// when rank 0 has left, with a run or without one, finds that there is none.
class TaskMeeting {
 public:
  TaskMeeting(const std::filesystem::path& runs_dir, SlurmTask task);
  TaskMeeting(const TaskMeeting&) = delete;
  TaskMeeting& operator=(const TaskMeeting&) = delete;
  ~TaskMeeting();
  const SlurmTask& task() const { return task_; }

  /// The folders in their order. Each is noted as a step of this job that has begun.
  Result<void> tell(const std::vector<runlog::RunFolder>& runs);
  /// The runs have ended, or did not begin, and this program ends with this code.
  void end(int exit_code);

 private:
  std::filesystem::path file_;
  SlurmTask task_;
  std::vector<runlog::RunFolder> runs_;
};

/// Waits for it, two minutes at most. Empty: rank 0 has left, and has said why.
Result<std::vector<std::string>> wait_for_runs(const std::filesystem::path& runs_dir,
                                               const SlurmTask& task,
                                               const launch::Cancelled& cancelled);

/// What a task other than that of rank 0 becomes.
std::vector<std::string> task_argv(const std::string& agent, const SlurmTask& task,
                                   const std::vector<std::string>& runs);

}  // namespace ringside::slurm
