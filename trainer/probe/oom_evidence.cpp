#include "trainer/probe/oom_evidence.h"

#include <fmt/format.h>

#include "trainer/probe/cpu_facts.h"
#include "trainer/probe/proc_files.h"

namespace ringside::probe {

OomCounts oom_counts(const std::filesystem::path& root) {
  OomCounts counts;
  if (const auto group = control_group(root, "memory")) {
    const char* file = group->version_2 ? "memory.events" : "memory.oom_control";
    if (const auto text = proc_text(group->folder / file)) {
      counts.group = number_after(*text, "oom_kill").value_or(-1);
    }
  }
  if (const auto text = proc_text(root / "proc/vmstat")) {
    counts.host = number_after(*text, "oom_kill").value_or(-1);
  }
  return counts;
}

std::string oom_evidence(const OomCounts& before, const OomCounts& after) {
  if (before.group >= 0 && after.group > before.group) {
    return fmt::format(
        "likely out of memory: the kernel's oom_kill count of this control group rose from {} to "
        "{}",
        before.group, after.group);
  }
  if (before.host >= 0 && after.host > before.host) {
    return fmt::format("possibly out of memory: the host's oom_kill count rose from {} to {}",
                       before.host, after.host);
  }
  return {};
}

}  // namespace ringside::probe
