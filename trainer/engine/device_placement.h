// Device placement of a rank: its device, and the memory of its batches on the way there. A value,
// created once at the start.
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
  cuda::CudaApi* cuda = nullptr;  ///< null: a CPU slot
  int index = -1;                 ///< CUDA's number of the GPU; -1: a CPU slot
  int number_on_node = -1;        ///< index of the GPU as in nvidia-smi, if the agent passed it on
  std::string uuid = "cpu";
  std::string name;
  std::string versions;    ///< "torch 2.11.0, ..."
  std::string capability;  ///< compute capability of the GPU: "8.6"
  std::string fallback;    ///< why "auto" chose a CPU slot although a GPU could be expected

  bool on_cuda() const { return cuda != nullptr; }
};

/// `kind` is devices.kind of the spec. "auto" uses GPUs when there is one for every rank of this
/// node, else CPU slots. A rank that sees a single GPU uses it, whatever its LOCAL_RANK. `devices`
/// is the number of GPUs per process, 1 unless devices.parallel = "dp".
Result<DevicePlacement> choose_placement(const std::string& kind, const cuda::CudaModule& module,
                                         const dist::LaunchEnvironment& env,
                                         std::int64_t devices = 1);

/// Number of threads of this rank: OMP_NUM_THREADS (`omp`, may be null), else the spec's number,
/// else its share of the cores.
int choose_threads(const char* omp, std::int64_t wanted, int local_world_size);

/// Page-locked buffers, from which a GPU copies while the host continues; plain memory for CPU
/// slots.
data::BufferSource batch_buffers(const DevicePlacement& placement);

}  // namespace ringside::engine
