// Finds the processes of a run by two marks: their process group, and an environment variable that
// all descendants inherit even when they leave the group. Reads /proc; any thread, any process of
// the same user.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ringside::agent {

/// Living processes (no zombies, not the caller) in one of `groups`, or started with
/// RINGSIDE_AGENT=`marker` in their environment. Waits at most 20 ms for processes in exec().
std::vector<std::int64_t> find_processes(std::span<const std::int64_t> groups,
                                         const std::string& marker);

/// Unique name of this process: "pid:start time:boot id". Used as RINGSIDE_AGENT for its ranks.
std::string marker_of_this_process();

/// The children of a process's main thread, including zombies; none when there is no such process.
std::vector<pid_t> children_of(pid_t pid);

}  // namespace ringside::agent
