// What this machine offers to a run, as `ringside-agent --inventory` tells it. Plain data; any
// thread.
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
  int index = 0;  ///< as nvidia-smi counts
  std::string uuid;
  bool mig = false;  ///< one instance of a GPU that is split
  std::string name;
  std::string capability;  ///< compute capability, "8.6"; empty: not known
  std::int64_t memory_used_bytes = -1;
  std::int64_t memory_total_bytes = -1;
  double utilisation_pct = -1;  ///< below 0: the driver does not say, here and below
  double temperature_c = -1;
  double power_w = -1;
  std::vector<std::int64_t> pids;  ///< of processes computing on it now; -1: not known here
};

/// How two GPUs reach each other, in the words of `nvidia-smi topo -m`.
struct Link {
  int a = 0;  ///< Gpu::index, a < b
  int b = 0;
  std::string word;  ///< "NV4", "PIX", "PXB", "PHB", "NODE", "SYS"; "?": the driver does not say
};

struct Machine {
  std::vector<Gpu> gpus;
  std::vector<Link> links;  ///< of every two of them
  int cores = 1;            ///< this process may use at once
  std::string cpu_name;
  std::string host;
  std::string kernel;
  std::int64_t memory_total_bytes = -1;
  std::int64_t memory_available_bytes = -1;
  std::string driver;                  ///< version; empty: none
  std::string cuda;                    ///< highest version the driver supports
  std::vector<std::string> cuda_code;  ///< of LibTorch: "sm_80"; empty: not known
  std::string driver_problem;          ///< why there are no GPUs
  bool gpu_expected = false;           ///< a GPU or its driver is here: a problem of theirs is news
  bool elsewhere = false;  ///< others, whose devices their own agents see: nothing is known of them
};

/// Why no rank of `spec` can compute on it; empty: nothing is known against it.
std::string unusable(const Gpu& gpu, const Machine& machine, const messages::RunSpec& spec);

/// Asks the agent beside this program, at most some seconds long: drivers can hang. Where there are
/// GPUs the trainer says, once, for which of them its LibTorch was built.
Result<Machine> read_machine(const Cancelled& cancelled = {});
/// Nodes of another machine as planning needs them: what they have is for their agents to see.
Machine unseen_machine();
/// The machine from the JSON text that the agent prints.
Result<Machine> parse_machine(std::string_view json);

}  // namespace ringside::launch
