// A control group (version 2) for the ranks and all that they start. Nobody in it gets out by
// another process group, session or environment, and the kernel kills it as a whole. Used by the
// agent's main thread, and by its reaper when the agent is gone.
#pragma once

#include <filesystem>
#include <string>

namespace ringside::agent {

/// A new group inside this process's own, by its folder; empty where none can be had: no version 2,
/// a kernel before 5.14, or a folder that this user may not write to. `name`: the agent's marker.
/// Empty groups of this user's agents that are gone are removed on the way.
std::filesystem::path make_cgroup(const std::string& name);

/// Kills what is in it and removes it; waits for that, at most 4 s.
void kill_cgroup(const std::filesystem::path& folder);

}  // namespace ringside::agent
