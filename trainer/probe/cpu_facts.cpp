#include "trainer/probe/cpu_facts.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "protocol/host/platform.h"
#include "trainer/probe/proc_files.h"

namespace ringside::probe {
namespace {

namespace fs = std::filesystem;

// cgroup v2: "max 100000" or "150000 100000" (microseconds per period).
std::optional<double> quota_v2(const fs::path& folder) {
  const auto text = proc_text(folder / "cpu.max");
  if (!text) return std::nullopt;
  std::istringstream fields(*text);
  double quota = 0;
  double period = 0;
  if (!(fields >> quota >> period) || period <= 0) return std::nullopt;
  return quota / period;
}

std::optional<double> quota_v1(const fs::path& folder) {
  const auto quota = proc_text(folder / "cpu.cfs_quota_us");
  const auto period = proc_text(folder / "cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  const double quota_us = std::atof(quota->c_str());
  const double period_us = std::atof(period->c_str());
  if (quota_us <= 0 || period_us <= 0) return std::nullopt;
  return quota_us / period_us;
}

// The group's path for a controller from /proc/self/cgroup: "4:memory:/a/b", or "0::/a/b" in
// version 2.
std::optional<std::string> group_path(const std::string& text, std::string_view controller) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::istringstream names(line.substr(first + 1, second - first - 1));
    std::string name;
    if (controller.empty() && second == first + 1) return line.substr(second + 1);
    while (std::getline(names, name, ',')) {
      if (!controller.empty() && name == controller) return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

fs::path below(const fs::path& mount, const std::string& group) {
  std::error_code error;
  const fs::path own = mount / fs::path(group).relative_path();
  return fs::exists(own, error) ? own : mount;
}

}  // namespace

std::optional<ControlGroup> control_group(const fs::path& root, const char* controller) {
  const auto text = proc_text(root / "proc/self/cgroup");
  if (!text) return std::nullopt;
  const fs::path top = root / "sys/fs/cgroup";
  std::error_code error;
  if (fs::exists(top / "cgroup.controllers", error)) {
    const auto group = group_path(*text, "");
    if (!group) return std::nullopt;
    return ControlGroup{below(top, *group), top, true};
  }
  for (const std::string& folder :
       {std::string(controller), std::string(controller) + ",cpuacct"}) {
    const auto group = group_path(*text, controller);
    if (!group || !fs::exists(top / folder, error)) continue;
    return ControlGroup{below(top / folder, *group), top / folder, false};
  }
  return std::nullopt;
}

CpuFacts cpu_facts(const fs::path& root, int affinity) {
  CpuFacts facts;
  facts.affinity_cores = std::max(1, affinity);
  facts.cores = facts.affinity_cores;
  const auto group = control_group(root, "cpu");
  if (!group) return facts;
  // A parent's limit applies to its children, so the smallest one up to the top is used.
  for (fs::path folder = group->folder;; folder = folder.parent_path()) {
    const auto quota = group->version_2 ? quota_v2(folder) : quota_v1(folder);
    if (quota && (!facts.quota_cores || *quota < *facts.quota_cores)) facts.quota_cores = quota;
    if (folder == group->mount || folder == folder.parent_path()) break;
  }
  if (facts.quota_cores) {
    facts.cores =
        std::clamp(static_cast<int>(std::floor(*facts.quota_cores)), 1, facts.affinity_cores);
  }
  return facts;
}

int affinity_cores() {
  if (const auto cores = cpus_of_process(); !cores.empty()) return static_cast<int>(cores.size());
  return std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace ringside::probe
