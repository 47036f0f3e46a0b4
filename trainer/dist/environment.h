// The place of this process among the ranks: the variables that torchrun, srun wrappers and
// Ringside's agent set alike, and those of a task of `srun` itself. Pure: reads only what `get`
// returns.
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
  bool launched = false;         ///< WORLD_SIZE was set, by whomever
  bool from_agent = false;       ///< started by Ringside's agent: it set RINGSIDE_ATTEMPT
  std::string master_addr;       ///< empty: not set
  int master_port = 0;           ///< 0: not set
  bool use_agent_store = false;  ///< torchrun holds the store; every rank joins as a client
  std::string error_file;        ///< where torchrun and the agent read why this rank failed
  std::string gpus;              ///< RINGSIDE_GPUS: the run's GPUs here as UUID=number,...
  std::string visible_gpus;      ///< CUDA_VISIBLE_DEVICES
  int listen_fd = -1;            ///< listens at MASTER_ADDR and MASTER_PORT for the store of rank 0
  int lifeline_fd = -1;          ///< read end of a pipe; its end means that the agent is gone
};

/// Fails on values that are not numbers and on ranks outside the world. Where nobody set RANK and
/// WORLD_SIZE, a task of a step of Slurm takes its own: SLURM_PROCID, _NTASKS, _LOCALID, _NODEID,
/// and as the meeting place the first node of the step and a port made of the number of the job.
Result<LaunchEnvironment> read_environment(const Variables& get);

/// The first of a list as Slurm writes it: "gpu03" of "gpu[03-05,9],login".
std::string first_host(std::string_view nodes);

/// The number of a GPU on its node, as nvidia-smi counts, by `gpus` of the environment; -1: it is
/// not named there. CUDA's own number is another one where CUDA_VISIBLE_DEVICES leaves some out.
int number_on_node(std::string_view gpus, std::string_view uuid);

}  // namespace ringside::dist
