// Finds the processes of a run by two marks: their process group, and a value in their environment
// that every descendant inherits even when it leaves the group. Reads /proc; any thread, any
// process of the same user.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ringside::agent {

/// Living processes (no zombies, not the caller) in one of `groups`, or with
/// RINGSIDE_AGENT=`marker` in the environment they were started with. One that is just becoming
/// another program is waited for, at most 20 ms.
std::vector<std::int64_t> find_processes(std::span<const std::int64_t> groups,
                                         const std::string& marker);

/// Marks this process for ever: "pid:start time:boot id". The value of RINGSIDE_AGENT for its
/// ranks.
std::string marker_of_this_process();

/// The children of the main thread of a process, zombies too; none where there is no such process.
std::vector<pid_t> children_of(pid_t pid);

}  // namespace ringside::agent
