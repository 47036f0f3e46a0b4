// The resources of this machine as one JSON object: `ringside-agent --inventory` prints it for
// device cards and for `ringside doctor`, which do not include this code. Taken once, on the
// calling thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trainer/probe/cpu_facts.h"
#include "trainer/probe/gpu_probe.h"

namespace ringside::probe {

struct Inventory {
  std::vector<GpuInfo> gpus;  ///< selected by CUDA_VISIBLE_DEVICES
  std::vector<GpuLink> links;
  CpuFacts cpu;
  int numa_nodes = 1;  ///< that the CPUs of the affinity mask are in
  std::string cpu_name;
  std::string host;
  std::string kernel;
  std::int64_t memory_total_bytes = -1;
  std::int64_t memory_available_bytes = -1;
  std::string driver_version;  ///< empty without a driver
  std::string cuda_version;
  std::string driver_problem;  ///< why there are no GPUs; empty if there are, or if none are wanted
  bool gpu_expected = false;   ///< there is a GPU or its driver
};

/// `api` is NVML, or the error from loading it.
Inventory take_inventory(const std::filesystem::path& root, const Result<NvmlApi>& api);

/// {"devices": [...], "links": [...], "cpu_slots": n, "cpu": {...}, "host": {...}, "driver":
/// {...}}; unknown numbers are null.
std::string to_json(const Inventory& inventory);

}  // namespace ringside::probe
