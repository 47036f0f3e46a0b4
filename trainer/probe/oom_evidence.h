// Evidence that the kernel killed a process for memory: counters that only such a kill moves.
// Without a moved counter nothing is claimed. Any thread; reads files under a root that tests
// choose.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ringside::probe {

/// Kills for memory so far; -1 where the kernel does not report it.
struct OomCounts {
  std::int64_t group =
      -1;  ///< in this process's control group and below (memory.events, memory.oom_control)
  std::int64_t host = -1;  ///< on the whole host (/proc/vmstat oom_kill)
};
OomCounts oom_counts(const std::filesystem::path& root);

/// One sentence when a counter rose between the two readings, else empty.
std::string oom_evidence(const OomCounts& before, const OomCounts& after);

}  // namespace ringside::probe
