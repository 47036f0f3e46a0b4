// What goes on on a machine now, as one ringside tells it to a person, to a script or to another
// ringside: its GPUs and who uses them, runs that have devices or wait for them, processes, and the
// partitions of its Slurm. Plain data, whose names are those in JSON; numbers below 0 or NaN and
// empty texts are not known. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gui/launch/surroundings.h"
#include "protocol/base/fields.h"

namespace ringside::view {

struct GpuUse {
  std::int64_t gpu = 0;  ///< as nvidia-smi counts
  std::string name;
  double utilisation_percent = -1;
  std::int64_t memory_used_bytes = -1, memory_total_bytes = -1;
  double temperature_c = -1, power_w = -1;
  std::string used_by;  ///< "run #12, ada"; empty: it is free
  std::string links;    ///< to the others: "1 NV4, 2 SYS"
  std::string uuid;
  RINGSIDE_FIELDS(gpu, name, utilisation_percent, memory_used_bytes, memory_total_bytes,
                  temperature_c, power_w, used_by, links, uuid)
};

struct RunUse {
  std::string run;    ///< "run #12"
  std::string state;  ///< one of the two below
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
  double cores = -1;  ///< mean number that it kept busy between two looks
  std::int64_t memory_bytes = -1;
  std::string gpus;  ///< "0, 2"
  std::string run;   ///< "run #12"
  std::string command;
  RINGSIDE_FIELDS(pid, user, cores, memory_bytes, gpus, run, command)
};

struct PartitionUse {
  std::string partition;
  std::int64_t nodes = 0, gpus = 0, gpus_free = 0, cores = 0, cores_free = 0;
  std::int64_t waiting = 0;  ///< jobs in its queue
  RINGSIDE_FIELDS(partition, nodes, gpus, gpus_free, cores, cores_free, waiting)
};

struct MachineUse {
  std::string host;
  std::int64_t cores = -1;
  double load = -1;  ///< of the last minute, as the kernel counts it
  std::int64_t cpu_slots_free = -1;
  std::int64_t memory_available_bytes = -1, memory_total_bytes = -1;
  std::int64_t disk_free_bytes = -1;  ///< where its runs are kept
  std::string gpu_problem;            ///< why its GPUs cannot be seen
  std::vector<GpuUse> gpus;
  std::vector<RunUse> runs;  ///< in the order of their turn
  std::vector<ProcessUse> processes;
  std::vector<PartitionUse> partitions;
  std::string slurm_problem;  ///< why its partitions are not known
  RINGSIDE_FIELDS(host, cores, load, cpu_slots_free, memory_available_bytes, memory_total_bytes,
                  disk_free_bytes, gpu_problem, gpus, runs, processes, partitions, slurm_problem)
};

struct ProcessLoad {
  launch::ProcessUse process;
  double cores = 0;  ///< mean number that it kept busy between two looks; NaN: not known yet
};
/// What was used between two looks that lie `seconds` apart; of processes that were there at both.
std::vector<ProcessLoad> loads_of(const std::vector<launch::ProcessUse>& before,
                                  std::vector<launch::ProcessUse> now, double seconds);

/// `name`: how people call a run, "run #12". Of processes those of runs and of GPUs, and the
/// busiest others, the busiest first, `most` of them at most.
MachineUse machine_use(const launch::Surroundings& around,
                       const std::vector<ProcessLoad>& processes, std::int64_t now_wall_ns,
                       const std::function<std::string(const RunId&)>& name, std::size_t most);

}  // namespace ringside::view
