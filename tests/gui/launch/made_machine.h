// Machines with given numbers of cores or GPUs, for tests of plans.
#pragma once

#include <string>

#include "gui/launch/machine.h"

namespace ringside::support {

inline launch::Machine cpu_machine(int cores) {
  launch::Machine machine;
  machine.cores = cores;
  return machine;
}

inline launch::Machine gpu_machine(int gpus) {
  launch::Machine machine = cpu_machine(16);
  for (int i = 0; i < gpus; ++i) {
    launch::Gpu gpu;
    gpu.index = i;
    gpu.uuid = "GPU-" + std::to_string(i);
    machine.gpus.push_back(gpu);
  }
  return machine;
}

}  // namespace ringside::support
