// GPU driver calls with a timeout, since a driver can hang for minutes. Main thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trainer/probe/gpu_probe.h"

namespace ringside::probe {

/// Loads NVML on a thread, which is abandoned if it does not finish within `wait_ns`.
Result<NvmlApi> ask_driver(std::int64_t wait_ns);

/// The GPUs of `api`, with the same timeout; null when it does not respond.
std::shared_ptr<GpuProbe> ask_gpus(const NvmlApi& api, std::int64_t wait_ns);

/// The probe, a warning, and the GPUs that CUDA_VISIBLE_DEVICES leaves to this process.
struct SeenGpus {
  std::shared_ptr<GpuProbe> probe;  ///< null: no GPU, or the driver does not respond
  std::vector<GpuInfo> visible;
  std::string warning = {};  ///< other programs may number the GPUs differently
};
SeenGpus ask_visible_gpus();

}  // namespace ringside::probe
