// Device placement of a rank: its device, and where its batches lie on their way there. A value,
// made once at the start.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>

#include "protocol/base/result.h"
#include "trainer/cuda/cuda_loader.h"
#include "trainer/data/loader.h"
#include "trainer/dist/environment.h"

namespace ringside::engine {

struct DevicePlacement {
  at::Device device = at::kCPU;
  cuda::CudaApi* cuda = nullptr;  ///< nullptr: a CPU slot
  int index = -1;                 ///< CUDA's number of the GPU; -1: a CPU slot
  int number_on_node = -1;        ///< of the GPU, as nvidia-smi counts where the agent says it
  std::string uuid = "cpu";
  std::string name;
  std::string versions;    ///< "torch 2.11.0, ..."
  std::string capability;  ///< compute capability of the GPU: "8.6"
  std::string fallback;    ///< why "auto" took a CPU slot where a GPU could be expected

  bool on_cuda() const { return cuda != nullptr; }
};

/// `kind`: devices.kind of the spec. "auto" takes GPUs when there is one for every rank of this
/// node, else CPU slots. A rank that sees one GPU computes on that, whatever its LOCAL_RANK.
/// `devices`: how many GPUs each process computes on, 1 but for devices.parallel = "dp".
Result<DevicePlacement> choose_placement(const std::string& kind, const cuda::CudaModule& module,
                                         const dist::LaunchEnvironment& env,
                                         std::int64_t devices = 1);

/// Threads of this rank: OMP_NUM_THREADS (`omp`, may be null), else the spec's number, else its
/// share of the cores.
int choose_threads(const char* omp, std::int64_t wanted, int local_world_size);

/// Buffers that a GPU can read while the host continues; plain memory for CPU slots.
data::BufferSource batch_buffers(const DevicePlacement& placement);

}  // namespace ringside::engine
