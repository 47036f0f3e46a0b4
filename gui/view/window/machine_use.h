// The current use of a machine, as one ringside reports it to a person, a script or another
// ringside: GPUs and their users, runs that hold or wait for devices, processes, and Slurm
// partitions. Plain data with the names of its JSON; negative numbers, NaN and empty texts are
// unknown. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gui/launch/host_activity.h"
#include "protocol/base/fields.h"

namespace ringside::view {

struct GpuUse {
  std::int64_t gpu = 0;  ///< index in nvidia-smi
  std::string name;
  double utilisation_percent = -1;
  std::int64_t memory_used_bytes = -1, memory_total_bytes = -1;
  double temperature_c = -1, power_w = -1;
  std::string used_by;  ///< "run #12, ada"; empty: free
  std::string links;    ///< links to the other GPUs: "1 NV4, 2 SYS"
  std::string uuid;
  RINGSIDE_FIELDS(gpu, name, utilisation_percent, memory_used_bytes, memory_total_bytes,
                  temperature_c, power_w, used_by, links, uuid)
};

struct RunUse {
  std::string run;    ///< "run #12"
  std::string state;  ///< kHasDevices or kWaitsForDevices
  double seconds = -1;
  std::string devices;  ///< "GPU 0, 1"
  std::string id;
  RINGSIDE_FIELDS(run, state, seconds, devices, id)
};
inline constexpr const char* kHasDevices = "has its devices";
inline constexpr const char* kWaitsForDevices = "waits";

struct ProcessUse {
  std::int64_t pid = 0;
  std::string user;
  double cores = -1;  ///< mean number of busy cores between two samples
  std::int64_t memory_bytes = -1;
  std::string gpus;  ///< "0, 2"
  std::string run;   ///< "run #12"
  std::string command;
  RINGSIDE_FIELDS(pid, user, cores, memory_bytes, gpus, run, command)
};

struct PartitionUse {
  std::string partition;
  std::int64_t nodes = 0, gpus = 0, gpus_free = 0, cores = 0, cores_free = 0;
  std::int64_t waiting = 0;  ///< number of jobs in its queue
  RINGSIDE_FIELDS(partition, nodes, gpus, gpus_free, cores, cores_free, waiting)
};

struct MachineUse {
  std::string host;
  std::int64_t cores = -1;
  double load = -1;  ///< load average of the last minute
  std::int64_t cpu_slots_free = -1;
  std::int64_t memory_available_bytes = -1, memory_total_bytes = -1;
  std::int64_t disk_free_bytes = -1;  ///< on the file system of its runs
  std::string gpu_problem;            ///< why its GPUs are unknown
  std::vector<GpuUse> gpus;
  std::vector<RunUse> runs;  ///< in the order in which they get devices
  std::vector<ProcessUse> processes;
  std::vector<PartitionUse> partitions;
  std::string slurm_problem;  ///< why its partitions are unknown
  RINGSIDE_FIELDS(host, cores, load, cpu_slots_free, memory_available_bytes, memory_total_bytes,
                  disk_free_bytes, gpu_problem, gpus, runs, processes, partitions, slurm_problem)
};

struct ProcessLoad {
  launch::ProcessUse process;
  double cores = 0;  ///< mean number of busy cores between two samples; NaN: not known yet
};
/// Returns the use between two samples, `seconds` apart, for processes that are in both.
std::vector<ProcessLoad> loads_of(const std::vector<launch::ProcessUse>& before,
                                  std::vector<launch::ProcessUse> now, double seconds);

/// Collects the use of a machine. `name` returns what people call a run: "run #12". Processes of
/// runs and of GPUs are listed, then the busiest others, at most `most`, the busiest first.
MachineUse machine_use(const launch::HostActivity& around,
                       const std::vector<ProcessLoad>& processes, std::int64_t now_wall_ns,
                       const std::function<std::string(const RunId&)>& name, std::size_t most);

}  // namespace ringside::view
