// Shares the CPUs of a host out among its ranks, as devices.affinity asks for. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "trainer/probe/cpu_places.h"

namespace ringside::agent {

/// The CPU numbers of each rank, in the order of `near`, which has the NUMA node of each rank's GPU
/// or -1. With "cores" each rank has cores of its own, on the node of its GPU where all of these
/// are known; with "numa" all CPUs of the GPU's node, or else of one node, taken in turn. With more
/// ranks than CPUs, ranks share one. An empty list: the rank is not bound.
std::vector<std::vector<int>> cpus_of_ranks(const std::string& affinity,
                                            const std::vector<probe::CpuPlace>& places,
                                            const std::vector<int>& near);

}  // namespace ringside::agent
