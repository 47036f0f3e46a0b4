// The devices of this machine as reported by `ringside-agent --inventory`. Plain data; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gui/launch/child.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

struct Gpu {
  int index = 0;  ///< numbered as by nvidia-smi
  std::string uuid;
  bool mig = false;  ///< one instance of a partitioned GPU
  std::string name;
  std::string capability;  ///< compute capability, "8.6"; empty: unknown
  std::int64_t memory_used_bytes = -1;
  std::int64_t memory_total_bytes = -1;
  double utilisation_pct = -1;  ///< negative: not reported by the driver, here and below
  double temperature_c = -1;
  double power_w = -1;
  std::vector<std::int64_t> pids;  ///< processes computing on it; -1: a process unknown here
};

/// How two GPUs reach each other, in the words of `nvidia-smi topo -m`.
struct Link {
  int a = 0;  ///< Gpu::index, a < b
  int b = 0;
  std::string word;  ///< "NV4", "PIX", "PXB", "PHB", "NODE", "SYS"; "?": not reported by the driver
};

struct Machine {
  std::vector<Gpu> gpus;
  std::vector<Link> links;  ///< one for each pair of GPUs
  int cores = 1;            ///< that this process may use at once
  int numa_nodes = 1;       ///< that these cores are in
  std::string cpu_name;
  std::string host;
  std::string kernel;
  std::int64_t memory_total_bytes = -1;
  std::int64_t memory_available_bytes = -1;
  std::string driver;  ///< version; empty: no driver
  std::string cuda;    ///< highest version the driver supports
  /// Architectures that LibTorch was built for: "sm_80"; empty: unknown.
  std::vector<std::string> cuda_code;
  std::string driver_problem;  ///< why there are no GPUs
  bool gpu_expected = false;   ///< there is a GPU or a driver, so a problem with it is reported
  bool elsewhere = false;      ///< other machines, whose devices only their own agents know
};

/// Why no rank of `spec` can compute on the GPU; empty: no reason is known.
std::string unusable(const Gpu& gpu, const Machine& machine, const messages::RunSpec& spec);

/// Asks the agent program, for up to some seconds, since drivers can hang. If there are GPUs, the
/// trainer is asked once for which of them its LibTorch was built.
Result<Machine> read_machine(const Cancelled& cancelled = {});
/// Placeholder for the nodes of another machine; their devices are left to their agents.
Machine unseen_machine();
/// Parses the JSON text that the agent prints.
Result<Machine> parse_machine(std::string_view json);

}  // namespace ringside::launch
