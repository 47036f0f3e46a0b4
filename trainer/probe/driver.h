// Calls of the GPU driver with a timeout: a driver can hang for minutes. Main
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trainer/probe/gpu_probe.h"

namespace ringside::probe {

/// NVML, loaded on a thread that is left behind when it does not answer within `wait_ns`.
Result<NvmlApi> ask_driver(std::int64_t wait_ns);

/// The GPUs that `api` shows, likewise; null when it does not answer.
std::shared_ptr<GpuProbe> ask_gpus(const NvmlApi& api, std::int64_t wait_ns);

/// The probe, its warning, and those GPUs that CUDA_VISIBLE_DEVICES leaves to this process.
struct SeenGpus {
  std::shared_ptr<GpuProbe> probe;  ///< null: there is none, or it does not answer
  std::vector<GpuInfo> visible;
  std::string warning = {};  ///< others may mean other GPUs by the same numbers
};
SeenGpus ask_visible_gpus();

}  // namespace ringside::probe
