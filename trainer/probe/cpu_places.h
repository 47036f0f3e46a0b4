// Places of the CPUs of this host: NUMA node, package and core of each. Reads files of /sys under a
// root that tests can choose; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringside::probe {

struct CpuPlace {
  int cpu = 0;      ///< the kernel's number
  int node = 0;     ///< NUMA node; 0 if the kernel has none
  int package = 0;  ///< socket
  int core = 0;     ///< hardware threads of a core share it; only unique within the package
};

/// The places of these CPUs (cpus_of_process()) by node, package and core, so that neighbours in
/// the list are near each other.
std::vector<CpuPlace> cpu_places(const std::filesystem::path& root, const std::vector<int>& cpus);

/// Number of NUMA nodes that these CPUs are in.
int numa_nodes(const std::vector<CpuPlace>& places);

/// NUMA node of a PCI device, given its id as NVML writes it ("00000000:3B:00.0"); -1: unknown.
int numa_node_of(const std::filesystem::path& root, const std::string& pci_bus_id);

}  // namespace ringside::probe
