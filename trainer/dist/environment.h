// The rank of this process, from the variables that torchrun, srun wrappers and Ringside's agent
// set, or from those of an `srun` task. Pure: reads only through `get`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "protocol/base/variables.h"

namespace ringside::dist {

struct LaunchEnvironment {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  int local_world_size = 1;
  int node = 0;                  ///< RINGSIDE_NODE, else GROUP_RANK
  int attempt = 0;               ///< RINGSIDE_ATTEMPT, else TORCHELASTIC_RESTART_COUNT
  bool launched = false;         ///< WORLD_SIZE was set, by any launcher
  bool from_agent = false;       ///< started by Ringside's agent, which sets RINGSIDE_ATTEMPT
  std::string master_addr;       ///< empty: unset
  int master_port = 0;           ///< 0: unset
  bool use_agent_store = false;  ///< torchrun hosts the store; every rank connects as a client
  std::string error_file;        ///< for torchrun and the agent: why this rank failed
  std::string gpus;              ///< RINGSIDE_GPUS: the run's GPUs on this host as UUID=number,...
  std::string visible_gpus;      ///< CUDA_VISIBLE_DEVICES
  int listen_fd = -1;            ///< socket that listens at MASTER_ADDR and MASTER_PORT, for rank
                                 ///< 0's store
  int lifeline_fd = -1;          ///< read end of a pipe; end of file means that the agent is gone
};

/// Fails for values that are not numbers and for ranks outside the world size. If RANK and
/// WORLD_SIZE are unset, a Slurm step's task uses SLURM_PROCID, _NTASKS, _LOCALID and _NODEID; the
/// rendezvous is then the first node of the step, with a port derived from the job id.
Result<LaunchEnvironment> read_environment(const Variables& get);

/// The first host of a Slurm node list: "gpu03" of "gpu[03-05,9],login".
std::string first_host(std::string_view nodes);

/// Index of a GPU on its node as in nvidia-smi, from `gpus` of the environment; -1 if it is not
/// listed. CUDA's own index differs when CUDA_VISIBLE_DEVICES hides some GPUs.
int number_on_node(std::string_view gpus, std::string_view uuid);

}  // namespace ringside::dist
