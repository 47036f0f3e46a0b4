// Samples of a host: processor load, memory, disk, each rank's memory and processor time, and that
// of viewers. An object is used by one thread, because loads depend on the previous sample. Reads
// /proc under a root that tests choose.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "protocol/messages/device_records.h"

namespace ringside::probe {

class HostSampler {
 public:
  /// `disk` is a path on the disk whose free space is reported (the run folder).
  HostSampler(std::filesystem::path root, std::filesystem::path disk);

  /// `pids` are the rank processes by local rank, 0 for one that is gone. The first sample has no
  /// loads.
  messages::HostSample sample(std::span<const std::int64_t> pids, std::int64_t mono_ns);

 private:
  struct ProcessBefore {
    std::int64_t pid = 0;
    std::int64_t start_ticks = 0;
    std::int64_t cpu_ticks = 0;
    std::int64_t mono_ns = 0;
  };
  void host_load(messages::HostSample& sample);
  /// `with_family` includes all processes that it started.
  float process_load(ProcessBefore& before, std::int64_t pid, std::int64_t mono_ns,
                     bool with_family) const;
  float viewer_load(std::int64_t mono_ns);
  void find_viewers();

  std::filesystem::path root_;
  std::filesystem::path disk_;
  std::int64_t busy_ticks_ = -1;
  std::int64_t total_ticks_ = -1;
  std::vector<ProcessBefore> before_;  ///< by local rank
  std::vector<ProcessBefore> viewers_;
  int readings_ = 0;
};

/// Bytes available to this user on the file system of `path` (statvfs); -1 when unknown.
std::int64_t disk_free_bytes(const std::filesystem::path& path);

}  // namespace ringside::probe
