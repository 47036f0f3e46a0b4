// Evidence that the kernel killed a process because memory ran out: counters that only such a kill
// increases. Nothing is claimed unless a counter has increased. Any thread; reads files under a
// root that tests choose.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ringside::probe {

/// OOM kills so far; -1 if the kernel does not report them.
struct OomCounts {
  std::int64_t group =
      -1;  ///< in this process's control group and below (memory.events, memory.oom_control)
  std::int64_t host = -1;  ///< on the whole host (/proc/vmstat oom_kill)
};
OomCounts oom_counts(const std::filesystem::path& root);

/// One sentence if a counter increased between the two readings, else empty.
std::string oom_evidence(const OomCounts& before, const OomCounts& after);

}  // namespace ringside::probe
