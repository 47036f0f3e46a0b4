// Makes the run folders of a plan and starts their agent, which then lives on its own: it has its
// own session, no terminal, and outlives whoever started it. Any thread; blocks until the agent is
// there, some seconds at most.
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

/// The time in which an agent must come up; a driver may take half of it.
inline constexpr std::int64_t kComeUpNs = 20'000'000'000;
/// The time in which an agent with the tasks of srun must come up: it waits a minute for them,
/// longer where the last come slowly.
inline constexpr std::int64_t kTasksComeUpNs = kComeUpNs + 90'000'000'000;

struct Started {
  std::vector<runlog::RunFolder> folders;  ///< in the order of the plan; ids ascend with it
  std::int32_t agent_pid = 0;
  bool on_tasks = false;  ///< in a step of srun, which takes Ctrl-C itself
};

/// A run folder that is ours until an agent adopts its lock.
struct LockedFolder {
  runlog::RunFolder folder;
  runlog::FolderLock lock;
};

/// A new attempt in the folder of a run that has ended: its agent begins again, and the trainer
/// goes on from the newest checkpoint there. `spec`: settings that replace those of the folder. A
/// bad request where another agent has it. `on_tasks`: in the tasks of srun, which are told by it
/// when the folder is locked and has its settings.
Result<Started> start_again(const runlog::RunFolder& folder,
                            const std::optional<messages::RunSpec>& spec = {},
                            const Cancelled& cancelled = {},
                            const std::function<Result<void>()>& on_tasks = {});

/// The folders with their resolved spec.toml only. Nobody ever sees one that is a run already and
/// not locked.
Result<std::vector<LockedFolder>> make_folders(const Plan& plan,
                                               const std::filesystem::path& runs_dir,
                                               const Clock& clock);

/// One agent for folders that have their settings, in this order. It holds their locks from here
/// on. Fails with what the agent said when it did not come up; folders stay.
Result<Started> start_folders(std::vector<LockedFolder> runs, const Plan& plan,
                              const Cancelled& cancelled = {});
/// Removes those of a start that failed, but where a run has begun.
void remove_unused(const std::vector<runlog::RunFolder>& folders);

}  // namespace ringside::launch
