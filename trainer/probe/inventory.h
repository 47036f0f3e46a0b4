// What this machine offers to a run, as one JSON object: `ringside-agent --inventory` prints it for
// device cards and for `ringside doctor`, which include nothing of this side. Taken once, on the
// calling thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trainer/probe/cpu_facts.h"
#include "trainer/probe/gpu_probe.h"

namespace ringside::probe {

struct Inventory {
  std::vector<GpuInfo> gpus;  ///< those that CUDA_VISIBLE_DEVICES leaves
  std::vector<GpuLink> links;
  CpuFacts cpu;
  std::string cpu_name;
  std::string host;
  std::string kernel;
  std::int64_t memory_total_bytes = -1;
  std::int64_t memory_available_bytes = -1;
  std::string driver_version;  ///< empty without a driver
  std::string cuda_version;
  std::string driver_problem;  ///< why there are no GPUs; empty when there are, or are to be none
  bool gpu_expected = false;   ///< a GPU or its driver is here
};

/// `api`: NVML, or the reason why it is not there.
Inventory take_inventory(const std::filesystem::path& root, const Result<NvmlApi>& api);

/// {"devices": [...], "links": [...], "cpu_slots": n, "cpu": {...}, "host": {...}, "driver":
/// {...}}; unknown numbers are null.
std::string to_json(const Inventory& inventory);

}  // namespace ringside::probe
