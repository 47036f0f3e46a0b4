// Starts ranks in the tasks of the user's own srun: one task per rank, with the cores, GPUs and
// environment that Slurm assigned to it. The agent is in the task of the first rank of its node and
// starts that rank itself. The other tasks connect to it, and each starts its rank when told to
// (task_rank.h). Signals and the search for remaining processes are done directly, since all are on
// this host. Used by the agent's loop only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trainer/agent/processes/spawner.h"
#include "trainer/agent/tasks/task_channel.h"

namespace ringside::agent {

class TaskSpawner final : public Spawner {
 public:
  /// Listens for `tasks` - 1 others, writes the socket's name to `file` (mode 0600) and waits for
  /// them, at most one minute. A failure names the missing ranks, counted from `first`. `own` must
  /// outlive it.
  static Result<std::unique_ptr<TaskSpawner>> gather(PosixSpawner& own,
                                                     const std::filesystem::path& file, int tasks,
                                                     int first);
  TaskSpawner(const TaskSpawner&) = delete;
  TaskSpawner& operator=(const TaskSpawner&) = delete;
  /// Tasks that were not ordered to leave notice that the agent is gone, and exit with 1.
  ~TaskSpawner() override;

  /// Resources by local rank; those of the first, which is this process's task, without GPUs.
  std::vector<TaskPlace> places() const;
  /// Ends all tasks; no rank can be started afterwards.
  void leave(const Leave& leave);

  Result<Spawned> spawn(const SpawnRequest& request) override;
  void signal_group(pid_t leader, int signal) override;
  std::optional<ExitStatus> exited(pid_t leader) override;
  std::vector<std::int64_t> survivors(std::span<const pid_t> leaders) override;
  void kill(std::int64_t pid) override;
  char process_state(pid_t pid) override;
  void reap(const Spawned& leader) override;
  void reap_orphans(std::span<const pid_t> leaders) override;
  std::string check_processes() override;

 private:
  struct Task {
    TaskChannel channel;
    TaskPlace place;
    // Start time of its process, which together with the pid is unique.
    std::uint64_t start_ticks = 0;
    pid_t rank = 0;  // until it is reaped
    std::optional<ExitStatus> ended{};
  };

  TaskSpawner(PosixSpawner& own, std::filesystem::path file) : own_(own), file_(std::move(file)) {}
  Result<void> admit(TaskChannel channel, int tasks);
  Task* task_of(pid_t rank);

  PosixSpawner& own_;
  std::filesystem::path file_;
  std::map<std::int32_t, Task> tasks_;  // by local rank, from 1
};

/// The resources of this process, with its GPUs if requested, for which the driver may take some
/// time.
TaskPlace own_place(bool with_gpus);

}  // namespace ringside::agent
