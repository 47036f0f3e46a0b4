// Number of processor cores that this process may use: its affinity mask, limited by its control
// group's quota. Pure apart from files under `root`; any thread.
#pragma once

#include <filesystem>
#include <optional>

namespace ringside::probe {

struct CpuFacts {
  int affinity_cores = 1;  ///< cores in the affinity mask
  std::optional<double>
      quota_cores;  ///< processor time per second that the control group allows; empty: no limit
  int cores = 1;    ///< usable at the same time: the smaller of both, quota rounded down, at least
                    ///< 1
};

/// `affinity_cores` is the result of affinity_cores(). The quotas of all parent groups count, in
/// version 2 (cpu.max) and 1 (cfs_quota).
CpuFacts cpu_facts(const std::filesystem::path& root, int affinity_cores);

/// Number of CPUs in the affinity mask or, if unknown, of all CPUs.
int affinity_cores();

/// The folder of this process's control group for `controller` ("cpu", "memory") under
/// root/sys/fs/cgroup, and whether it is version 2. If the group's own folder is not visible, the
/// mounted root of the hierarchy.
struct ControlGroup {
  std::filesystem::path folder;
  std::filesystem::path mount;
  bool version_2 = false;
};
std::optional<ControlGroup> control_group(const std::filesystem::path& root,
                                          const char* controller);

}  // namespace ringside::probe
