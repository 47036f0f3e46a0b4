// A control group (version 2) for the ranks and all processes that they start. Changing the process
// group, session or environment does not leave it, and the kernel kills it as a whole. Used by the
// agent's main thread, and by its reaper when the agent is gone.
#pragma once

#include <filesystem>
#include <string>

namespace ringside::agent {

/// Creates a group inside this process's own and returns its folder; empty when that is not
/// possible: no version 2, a kernel before 5.14, or a folder that this user may not write to.
/// `name` is the agent's marker. Also removes empty groups of this user's agents that are gone.
std::filesystem::path make_cgroup(const std::string& name);

/// Kills its processes and removes it; waits at most 4 s for that.
void kill_cgroup(const std::filesystem::path& folder);

}  // namespace ringside::agent
