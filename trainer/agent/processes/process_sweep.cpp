#include "trainer/agent/processes/process_sweep.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "protocol/base/clock.h"
#include "protocol/wire/agent_endpoint.h"
#include "trainer/probe/proc_files.h"

namespace ringside::agent {
namespace {

constexpr std::int64_t kExecTakes_ns = 20'000'000;

enum class Mark { kNone, kOurs, kUnknown };

Mark mark_in(const std::string& environment, const std::string& entry) {
  for (std::size_t at = 0; (at = environment.find(entry, at)) != std::string::npos; ++at) {
    const bool starts = at == 0 || environment[at - 1] == '\0';
    const std::size_t end = at + entry.size();
    const bool ends = end == environment.size() || environment[end] == '\0';
    if (starts && ends) return Mark::kOurs;
  }
  return Mark::kNone;
}

// During exec() a process has an empty environment for a moment.
Mark mark_of(std::int64_t pid, const std::string& entry) {
  const auto environment = probe::proc_text("/proc/" + std::to_string(pid) + "/environ");
  if (!environment) return Mark::kNone;
  return environment->empty() ? Mark::kUnknown : mark_in(*environment, entry);
}

std::optional<probe::ProcessStat> living(std::int64_t pid) {
  const auto stat = probe::process_stat("/", pid);
  if (!stat || stat->state == 'Z' || stat->state == 'X') return std::nullopt;
  return stat;
}

// Kernel threads have no environment at all.
bool of_kernel(std::int64_t pid, const probe::ProcessStat& stat) {
  constexpr std::int64_t kThreadDaemon = 2;
  return pid == kThreadDaemon || stat.parent == kThreadDaemon;
}

// Waits for processes in exec() and adds those that have the mark to `found`.
void look_again(std::vector<std::int64_t> pids, const std::string& entry,
                std::vector<std::int64_t>& found) {
  const std::int64_t deadline_ns = mono_now_ns() + kExecTakes_ns;
  while (!pids.empty() && mono_now_ns() < deadline_ns) {
    ::sched_yield();
    std::erase_if(pids, [&](std::int64_t pid) {
      if (!living(pid)) return true;
      const Mark mark = mark_of(pid, entry);
      if (mark == Mark::kOurs) found.push_back(pid);
      return mark != Mark::kUnknown;
    });
  }
}

}  // namespace

std::vector<std::int64_t> find_processes(std::span<const std::int64_t> groups,
                                         const std::string& marker) {
  const std::string entry = "RINGSIDE_AGENT=" + marker;
  std::vector<std::int64_t> found;
  std::vector<std::int64_t> unknown;
  for (std::int64_t pid : probe::process_ids("/")) {
    if (pid == ::getpid()) continue;
    const auto stat = living(pid);
    if (!stat) continue;
    if (std::find(groups.begin(), groups.end(), stat->group) != groups.end()) {
      found.push_back(pid);
      continue;
    }
    const Mark mark = mark_of(pid, entry);
    if (mark == Mark::kOurs) found.push_back(pid);
    if (mark == Mark::kUnknown && !of_kernel(pid, *stat)) unknown.push_back(pid);
  }
  look_again(std::move(unknown), entry, found);
  return found;
}

std::vector<pid_t> children_of(pid_t pid) {
  const std::string id = std::to_string(pid);
  std::istringstream list(
      probe::proc_text("/proc/" + id + "/task/" + id + "/children").value_or(std::string()));
  std::vector<pid_t> found;
  for (pid_t child = 0; list >> child;) found.push_back(child);
  return found;
}

std::string marker_of_this_process() { return wire::marker_of(wire::endpoint_of_this_process()); }

}  // namespace ringside::agent
