// Turns a run's settings into the processes to start: argv, environment, folder and device of each
// rank. Pure: nothing is started, created or looked up here; what the machine offers comes in as
// data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/messages/spec/run_spec.h"
#include "protocol/runlog/run_folder.h"
#include "trainer/agent/processes/client_files.h"
#include "trainer/probe/gpu_probe.h"

namespace ringside::agent {

/// What the machine offers.
struct NodeResources {
  std::vector<probe::GpuInfo> gpus;
  int cores = 1;
};

/// What srun has given one task of this node, and with it the rank in it.
struct TaskPlace {
  std::vector<std::string> environment;  ///< KEY=VALUE
  std::vector<int> cores;                ///< their numbers
  std::vector<probe::GpuInfo> gpus;      ///< that it sees
};

/// What tasks have between them: the cores that one of them has, and the GPUs that one sees, in
/// their order.
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
  std::string trainer;  ///< path of ringside-trainer; used when the settings name no program
  std::vector<std::string> environment;  ///< KEY=VALUE, what the ranks inherit
  int master_port = 0;                   ///< where ranks meet that want torchrun's variables
  std::string marker;    ///< value of RINGSIDE_AGENT: the agent's pid, start time and boot
  ClientFiles client{};  ///< for programs other than our trainer
  Node node = 0;         ///< whose ranks are planned
  std::string master_address = "127.0.0.1";
  std::string interface = {};         ///< of this node, on which the ranks of several nodes meet
  std::vector<TaskPlace> tasks = {};  ///< by local rank; empty: all ranks have what is above
};

struct RankPlan {
  Rank rank = 0;
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::filesystem::path folder;  ///< holds stdout, stderr and error.json of this rank
  std::string container = {};    ///< what the command of a container is told in addition, in words
};

struct SpawnPlan {
  std::vector<RankPlan> ranks;
  bool cuda = false;
  std::vector<std::string> gpus;  ///< UUIDs by rank, or of the one process for all; empty on CPU
                                  ///< slots
  std::int64_t host_ranks = 0;    ///< with those of other nodes on this host
  std::vector<std::string> host_gpus;
  int threads = 1;            ///< per rank
  std::filesystem::path cwd;  ///< of every rank; empty: that of this process
  std::vector<std::string> warnings;
};

/// One process per device, or with devices.parallel = "dp" one for all of them.
/// A bad request names the setting to change: more ranks than GPUs, an unknown or doubled GPU id.
/// More ranks than cores is allowed on CPU slots, with a warning.
Result<SpawnPlan> make_spawn_plan(const SpawnPlanInput& input);

/// `environment` with `values` set over it; later entries of the same name win.
std::vector<std::string> with_values(
    std::vector<std::string> environment,
    const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace ringside::agent
