// Derives the processes to start from a run's settings: argv, environment, folder and device of
// each rank. Pure: it starts, creates and looks up nothing; the resources of the machine are passed
// in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/run_folder.h"
#include "trainer/agent/processes/client_files.h"
#include "trainer/probe/cpu_places.h"
#include "trainer/probe/gpu_probe.h"

namespace ringside::agent {

struct NodeResources {
  std::vector<probe::GpuInfo> gpus;
  int cores = 1;
  std::vector<probe::CpuPlace> cpus = {};  ///< for devices.affinity
};

/// Resources that srun gave to one task of this node, and thus to its rank.
struct TaskPlace {
  std::vector<std::string> environment;  ///< KEY=VALUE
  std::vector<int> cores;                ///< CPU numbers
  std::vector<probe::GpuInfo> gpus;      ///< visible to it
};

/// Resources of all tasks together: the union of their cores and of their visible GPUs, in order.
struct TaskResources {
  int cores = 0;
  std::vector<probe::GpuInfo> gpus;
};
TaskResources resources_of(const std::vector<TaskPlace>& tasks);

struct SpawnPlanInput {
  messages::RunSpec spec;
  runlog::RunFolder folder;
  std::int32_t attempt = 0;
  NodeResources resources;
  std::string trainer;  ///< path of ringside-trainer, for settings without a program
  std::vector<std::string> environment;  ///< KEY=VALUE, inherited by the ranks
  int master_port = 0;                   ///< MASTER_PORT for custom programs
  std::string marker;    ///< value of RINGSIDE_AGENT: the agent's pid, start time and boot id
  ClientFiles client{};  ///< for custom programs
  Node node = 0;         ///< node whose ranks are planned
  std::string master_address = "127.0.0.1";
  std::string interface = {};         ///< this node's interface for communication between nodes
  std::vector<TaskPlace> tasks = {};  ///< by local rank; empty: all ranks share the resources above
};

struct RankPlan {
  Rank rank = 0;
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::filesystem::path folder;  ///< for stdout, stderr and error.json of this rank
  std::string container = {};    ///< options added to the command of a container, as text
  std::vector<int> cpus = {};    ///< CPU numbers that it is bound to; empty: it is not bound
};

struct SpawnPlan {
  std::vector<RankPlan> ranks;
  bool cuda = false;
  std::vector<std::string> gpus;  ///< UUIDs by rank, or all GPUs of the single process; empty on
                                  ///< CPU slots
  std::int64_t host_ranks = 0;    ///< including ranks of other virtual nodes on this host
  std::vector<std::string> host_gpus;
  int threads = 1;            ///< per rank
  std::filesystem::path cwd;  ///< working folder of every rank; empty: this process's
  std::vector<std::string> warnings;
};

/// One process per device, or with devices.parallel = "dp" one for all of them. A bad request names
/// the setting to change: more ranks than GPUs, an unknown or duplicate GPU id. More ranks than
/// cores is allowed on CPU slots, with a warning.
Result<SpawnPlan> make_spawn_plan(const SpawnPlanInput& input);

/// `environment` with `values` added; an existing entry of the same name is replaced.
std::vector<std::string> with_values(
    std::vector<std::string> environment,
    const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace ringside::agent
