// Readings of a host: processor load, memory, disk, each rank's memory and processor time, and that
// of the viewers.
// One thread uses an object, because loads follow from the reading before. Reads /proc under a root
// that tests choose.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "protocol/messages/device_records.h"

namespace ringside::probe {

class HostSampler {
 public:
  /// `disk`: a path on the disk whose free space counts (the run folder).
  HostSampler(std::filesystem::path root, std::filesystem::path disk);

  /// `pids`: the rank processes by local rank, 0 for one that is gone. The first reading has no
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
  /// `with_family`: and of all that it started.
  float process_load(ProcessBefore& before, std::int64_t pid, std::int64_t mono_ns,
                     bool with_family) const;
  float viewer_load(std::int64_t mono_ns);
  void find_viewers();

  std::filesystem::path root_;
  std::filesystem::path disk_;
  std::int64_t busy_ticks_ = -1;
  std::int64_t total_ticks_ = -1;
  std::vector<ProcessBefore> before_;  ///< ranks
  std::vector<ProcessBefore> viewers_;
  int readings_ = 0;
};

/// Bytes free for this user on the file system of `path`, -1 when not known (statvfs).
std::int64_t disk_free_bytes(const std::filesystem::path& path);

}  // namespace ringside::probe
