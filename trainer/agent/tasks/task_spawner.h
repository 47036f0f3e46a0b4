// Ranks in the places that a person's own srun gives them: one task for each, with the cores, the
// GPUs and the environment that Slurm set for it. The agent is in the task of the first rank of its
// node and starts that one itself; the others connect to it, and each starts its rank when it is
// told to (task_rank.h). Signals and the search for what is left go to the processes directly: all
// of them are on this host. Used by the agent's loop only.
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
  /// Listens for `tasks` - 1 others, leaves the name in `file` (mode 0600) and waits for them, a
  /// minute at most. A failure names the ranks that did not come, counted from `first`. `own`
  /// outlives it.
  static Result<std::unique_ptr<TaskSpawner>> gather(PosixSpawner& own,
                                                     const std::filesystem::path& file, int tasks,
                                                     int first);
  TaskSpawner(const TaskSpawner&) = delete;
  TaskSpawner& operator=(const TaskSpawner&) = delete;
  /// Tasks that were not told to leave see that the agent has gone, and end with 1.
  ~TaskSpawner() override;

  /// Places by local rank; that of the first, which is this process's own task, without its GPUs.
  std::vector<TaskPlace> places() const;
  /// The end: no rank is to begin any more.
  void leave(const Leave& leave);

  Result<Spawned> spawn(const SpawnRequest& request) override;
  void signal_group(pid_t leader, int signal) override;
  std::optional<ExitStatus> exited(pid_t leader) override;
  std::vector<std::int64_t> survivors(std::span<const pid_t> leaders) override;
  void kill(std::int64_t pid) override;
  char process_state(pid_t pid) override;
  void reap(const Spawned& leader) override;
  void reap_orphans(std::span<const pid_t> leaders) override;
  std::string look_after() override;

 private:
  struct Task {
    TaskChannel channel;
    TaskPlace place;
    std::uint64_t start_ticks = 0;  // of its process: with the pid it is that one for ever
    pid_t rank = 0;                 // of which nothing is reaped yet
    std::optional<ExitStatus> ended{};
  };

  TaskSpawner(PosixSpawner& own, std::filesystem::path file) : own_(own), file_(std::move(file)) {}
  Result<void> admit(TaskChannel channel, int tasks);
  Task* task_of(pid_t rank);

  PosixSpawner& own_;
  std::filesystem::path file_;
  std::map<std::int32_t, Task> tasks_;  // by local rank, from 1
};

/// The place of this process, with its GPUs if they are wanted: the driver may take its time.
TaskPlace own_place(bool with_gpus);

}  // namespace ringside::agent
