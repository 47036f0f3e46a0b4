// How many processor cores this process may really use: its affinity mask, cut by the quota of its
// control group. Pure apart from files under `root`; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace ringside::probe {

struct CpuFacts {
  int affinity_cores = 1;  ///< cores in the affinity mask
  std::optional<double>
      quota_cores;  ///< processor time per second the control group grants; nothing: no limit
  int cores = 1;    ///< usable at once: the smaller of both, quota rounded down, at least 1
};

/// `affinity_cores`: see affinity_cores(). Quotas of all parent groups count, version 2 (cpu.max)
/// and 1 (cfs_quota).
CpuFacts cpu_facts(const std::filesystem::path& root, int affinity_cores);

/// The numbers of the cores in this process's affinity mask, from the kernel; empty: it does not
/// say.
std::vector<int> affinity_list();
/// How many those are, or where that is not known, all there are.
int affinity_cores();

/// The folder of this process's control group for `controller` ("cpu", "memory") under
/// root/sys/fs/cgroup, and whether it is of version 2. The folder is the group's own when it can be
/// seen from here, else the mounted top.
struct ControlGroup {
  std::filesystem::path folder;
  std::filesystem::path mount;
  bool version_2 = false;
};
std::optional<ControlGroup> control_group(const std::filesystem::path& root,
                                          const char* controller);

}  // namespace ringside::probe
