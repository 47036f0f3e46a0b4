#include "trainer/probe/host_sampler.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "trainer/probe/proc_files.h"

namespace ringside::probe {

HostSampler::HostSampler(std::filesystem::path root, std::filesystem::path disk)
    : root_(std::move(root)), disk_(std::move(disk)) {}

messages::HostSample HostSampler::sample(std::span<const std::int64_t> pids, std::int64_t mono_ns) {
  messages::HostSample sample;
  host_load(sample);
  if (const auto memory = proc_text(root_ / "proc/meminfo")) {
    const auto total = number_after(*memory, "MemTotal:");
    const auto available = number_after(*memory, "MemAvailable:");
    if (total) sample.memory_total_bytes = *total * 1024;
    if (total && available) sample.memory_used_bytes = (*total - *available) * 1024;
  }
  sample.disk_free_bytes = disk_free_bytes(disk_);
  before_.resize(pids.size());
  for (std::size_t rank = 0; rank < pids.size(); ++rank) {
    const auto resident = pids[rank] > 0 ? resident_bytes(root_, pids[rank]) : std::nullopt;
    sample.rank_resident_bytes.push_back(resident.value_or(-1));
    sample.rank_cpu_pct.push_back(process_load(before_[rank], pids[rank], mono_ns, true));
  }
  sample.viewer_cpu_pct = viewer_load(mono_ns);
  return sample;
}

// First line of /proc/stat (proc(5)): user nice system idle iowait irq softirq steal; guest time is
// included in user. One line per processor follows.
void HostSampler::host_load(messages::HostSample& sample) {
  const auto text = proc_text(root_ / "proc/stat");
  if (!text || !text->starts_with("cpu ")) return;
  sample.cpus = 0;
  for (std::size_t at = text->find("\ncpu"); at != text->npos; at = text->find("\ncpu", at + 1))
    ++sample.cpus;
  std::istringstream fields(text->substr(4, text->find('\n') - 4));
  std::int64_t total = 0;
  std::int64_t idle = 0;
  std::int64_t value = 0;
  for (int field = 0; field < 8 && fields >> value; ++field) {
    total += value;
    if (field == 3 || field == 4) idle += value;
  }
  const std::int64_t busy = total - idle;
  const std::int64_t busy_before = std::exchange(busy_ticks_, busy);
  const std::int64_t total_before = std::exchange(total_ticks_, total);
  if (total_before < 0 || total <= total_before || busy < busy_before) return;
  sample.cpu_pct =
      100.0F * static_cast<float>(busy - busy_before) / static_cast<float>(total - total_before);
}

float HostSampler::process_load(ProcessBefore& before, std::int64_t pid, std::int64_t mono_ns,
                                bool with_family) const {
  const auto stat = pid > 0 ? process_stat(root_, pid) : std::nullopt;
  if (!stat) {
    before = {};
    return messages::kUnknownF;
  }
  const std::int64_t ticks = with_family ? family_ticks(root_, pid, *stat) : stat->cpu_ticks;
  const ProcessBefore now{pid, stat->start_ticks, ticks, mono_ns};
  const ProcessBefore then = std::exchange(before, now);
  const bool same = then.pid == pid && then.start_ticks == now.start_ticks;
  if (!same || mono_ns <= then.mono_ns) return messages::kUnknownF;
  static const double ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  // The sum decreases when a process that was not waited for leaves the tree.
  const std::int64_t used = std::max<std::int64_t>(0, now.cpu_ticks - then.cpu_ticks);
  const double cpu_s = static_cast<double>(used) / ticks_per_s;
  return static_cast<float>(100.0 * cpu_s / (static_cast<double>(mono_ns - then.mono_ns) * 1e-9));
}

// The kernel stores the first 15 letters of a program's name.
void HostSampler::find_viewers() {
  std::vector<ProcessBefore> found;
  for (const std::int64_t pid : process_ids(root_)) {
    const auto name = proc_text(root_ / "proc" / std::to_string(pid) / "comm");
    if (!name || (*name != "ringside-dashbo\n" && *name != "ringside\n")) continue;
    const auto known = std::find_if(viewers_.begin(), viewers_.end(),
                                    [pid](const auto& viewer) { return viewer.pid == pid; });
    found.push_back(known != viewers_.end() ? *known : ProcessBefore{pid});
  }
  viewers_ = std::move(found);
}

float HostSampler::viewer_load(std::int64_t mono_ns) {
  constexpr int kReadingsBetweenSearches = 10;
  if (readings_++ % kReadingsBetweenSearches == 0) find_viewers();
  float total = 0;
  for (ProcessBefore& viewer : viewers_) {
    const std::int64_t pid = viewer.pid;
    const float load = process_load(viewer, pid, mono_ns, false);
    viewer.pid = pid;
    if (!messages::is_unknown(load)) total += load;
  }
  return total;
}

std::int64_t disk_free_bytes(const std::filesystem::path& path) {
  struct statvfs facts {};
  if (::statvfs(path.c_str(), &facts) != 0) return -1;
  return static_cast<std::int64_t>(facts.f_bavail) * static_cast<std::int64_t>(facts.f_frsize);
}

}  // namespace ringside::probe
