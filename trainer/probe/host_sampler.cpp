#include "trainer/probe/host_sampler.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <sstream>
#include <utility>

#include "trainer/probe/proc_files.h"

namespace ringside::probe {

HostSampler::HostSampler(std::filesystem::path root, std::filesystem::path disk)
    : root_(std::move(root)), disk_(std::move(disk)) {}

messages::HostSample HostSampler::sample(std::span<const std::int64_t> pids, std::int64_t mono_ns) {
  messages::HostSample sample;
  sample.cpu_pct = host_load();
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
    sample.rank_cpu_pct.push_back(rank_load(rank, pids[rank], mono_ns));
  }
  return sample;
}

// First line of /proc/stat (proc(5)): user nice system idle iowait irq softirq steal; guest time is
// within user.
float HostSampler::host_load() {
  const auto text = proc_text(root_ / "proc/stat");
  if (!text || !text->starts_with("cpu ")) return messages::kUnknownF;
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
  if (total_before < 0 || total <= total_before || busy < busy_before) return messages::kUnknownF;
  return 100.0F * static_cast<float>(busy - busy_before) / static_cast<float>(total - total_before);
}

float HostSampler::rank_load(std::size_t local_rank, std::int64_t pid, std::int64_t mono_ns) {
  const auto stat = pid > 0 ? process_stat(root_, pid) : std::nullopt;
  if (!stat) {
    before_[local_rank] = {};
    return messages::kUnknownF;
  }
  const RankBefore now{pid, stat->start_ticks, stat->cpu_ticks, mono_ns};
  const RankBefore before = std::exchange(before_[local_rank], now);
  const bool same = before.pid == pid && before.start_ticks == now.start_ticks;
  if (!same || mono_ns <= before.mono_ns) return messages::kUnknownF;
  static const double ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double cpu_s = static_cast<double>(now.cpu_ticks - before.cpu_ticks) / ticks_per_s;
  return static_cast<float>(100.0 * cpu_s / (static_cast<double>(mono_ns - before.mono_ns) * 1e-9));
}

std::int64_t disk_free_bytes(const std::filesystem::path& path) {
  struct statvfs facts {};
  if (::statvfs(path.c_str(), &facts) != 0) return -1;
  return static_cast<std::int64_t>(facts.f_bavail) * static_cast<std::int64_t>(facts.f_frsize);
}

}  // namespace ringside::probe
