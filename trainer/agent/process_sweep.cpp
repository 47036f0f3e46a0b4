#include "trainer/agent/process_sweep.h"

#include <unistd.h>

#include <algorithm>

#include "protocol/wire/agent_card.h"
#include "trainer/probe/proc_files.h"

namespace ringside::agent {
namespace {

bool has_marker(std::int64_t pid, const std::string& entry) {
  const auto text = probe::proc_text("/proc/" + std::to_string(pid) + "/environ");
  if (!text) return false;
  for (std::size_t at = 0; (at = text->find(entry, at)) != std::string::npos; ++at) {
    const bool starts = at == 0 || (*text)[at - 1] == '\0';
    const bool ends = at + entry.size() == text->size() || (*text)[at + entry.size()] == '\0';
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace

std::vector<std::int64_t> find_processes(std::span<const std::int64_t> groups,
                                         const std::string& marker) {
  const std::string entry = "RINGSIDE_AGENT=" + marker;
  std::vector<std::int64_t> found;
  for (std::int64_t pid : probe::process_ids("/")) {
    if (pid == ::getpid()) continue;
    const auto stat = probe::process_stat("/", pid);
    if (!stat || stat->state == 'Z' || stat->state == 'X') continue;
    if (std::find(groups.begin(), groups.end(), stat->group) != groups.end() ||
        has_marker(pid, entry)) {
      found.push_back(pid);
    }
  }
  return found;
}

std::string marker_of_this_process() {
  const wire::AgentCard card = wire::card_of_this_process();
  return std::to_string(card.agent_pid) + ":" + std::to_string(card.agent_start_ticks) + ":" +
         card.boot_id;
}

}  // namespace ringside::agent
