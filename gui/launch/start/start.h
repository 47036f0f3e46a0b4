// Creates the run folders of a plan and starts their agent, which has a session of its own and no
// terminal, and outlives the process that started it. Any thread; blocks until the agent has
// started, up to some seconds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "gui/launch/plan.h"
#include "protocol/base/clock.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::launch {

/// Time limit for an agent to start; a driver may take half of it.
inline constexpr std::int64_t kComeUpNs = 20'000'000'000;
/// Time limit for an agent in the tasks of srun: it waits a minute for them, longer if the last
/// ones are slow.
inline constexpr std::int64_t kTasksComeUpNs = kComeUpNs + 90'000'000'000;

struct Started {
  std::vector<runlog::RunFolder> folders;  ///< in the order of the plan, with ascending ids
  std::int32_t agent_pid = 0;
  bool on_tasks = false;  ///< in a step of srun, which handles Ctrl-C itself
};

/// A run folder that we have locked until an agent takes over the lock.
struct LockedFolder {
  runlog::RunFolder folder;
  runlog::FolderLock lock;
};

/// Starts a new attempt in the folder of a run that has ended: the trainer continues from the
/// newest checkpoint in it. `spec`: replaces the settings in the folder. Returns a bad request if
/// another agent has the folder. `on_tasks`: called to notify the other tasks of srun once the
/// folder is locked and has its settings.
Result<Started> restart_run(const runlog::RunFolder& folder,
                            const std::optional<messages::RunSpec>& spec = {},
                            const Cancelled& cancelled = {},
                            const std::function<Result<void>()>& on_tasks = {});

/// Creates the folders with their resolved spec.toml. They are locked from the moment at which
/// others can see them as runs.
Result<std::vector<LockedFolder>> make_folders(const Plan& plan,
                                               const std::filesystem::path& runs_dir,
                                               const Clock& clock);

/// Starts one agent for folders that have their settings, in this order. It takes over their locks.
/// If it does not start, the error has its message; folders stay.
Result<Started> start_folders(std::vector<LockedFolder> runs, const Plan& plan,
                              const Cancelled& cancelled = {});
/// Removes the folders of a failed start, except those of runs that have begun.
void remove_unused(const std::vector<runlog::RunFolder>& folders);

}  // namespace ringside::launch
