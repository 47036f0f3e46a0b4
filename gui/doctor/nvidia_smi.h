// Parses nvidia-smi's text about the GPUs and compares it with our own readings. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/doctor/check.h"
#include "gui/launch/machine.h"

namespace ringside::doctor {

/// A GPU as printed by nvidia-smi; negative: not reported.
struct SmiGpu {
  std::string uuid;
  std::string name;
  double temperature_c = -1;
  double power_w = -1;
  double memory_used_mib = -1;
};

/// Query fields, in the order that smi_gpus() parses.
inline constexpr const char* kSmiQuery =
    "--query-gpu=uuid,name,temperature.gpu,power.draw,memory.used";
/// Parses the output of `--format=csv,noheader,nounits`.
std::vector<SmiGpu> smi_gpus(std::string_view csv);

/// Links such as "NV4" by two GPU numbers, the smaller one first, from `nvidia-smi topo -m`.
using SmiLinks = std::map<std::pair<int, int>, std::string>;
SmiLinks smi_links(std::string_view matrix);

/// `before` and `after` are our own readings: a GPU that cools down is somewhere between the two.
CheckVerdict judge_nvml(const launch::Machine& machine, const std::vector<SmiGpu>& before,
                        const std::vector<SmiGpu>& after, const SmiLinks& links);

}  // namespace ringside::doctor
