#include "trainer/probe/cpu_places.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>
#include <tuple>

#include "trainer/probe/proc_files.h"

namespace ringside::probe {
namespace {

namespace fs = std::filesystem;

int number_in(const fs::path& file, int otherwise) {
  const auto text = proc_text(file);
  return text ? std::atoi(text->c_str()) : otherwise;
}

// The folder of a CPU links to its node: "node1".
int node_in(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with("node") && name.size() > 4 &&
        std::all_of(name.begin() + 4, name.end(), [](unsigned char c) { return std::isdigit(c); }))
      return std::atoi(name.c_str() + 4);
  }
  return 0;
}

}  // namespace

std::vector<CpuPlace> cpu_places(const fs::path& root, const std::vector<int>& cpus) {
  std::vector<CpuPlace> places;
  for (const int cpu : cpus) {
    const fs::path folder = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu));
    places.push_back({cpu, node_in(folder), number_in(folder / "topology/physical_package_id", 0),
                      number_in(folder / "topology/core_id", cpu)});
  }
  std::sort(places.begin(), places.end(), [](const CpuPlace& a, const CpuPlace& b) {
    return std::tie(a.node, a.package, a.core, a.cpu) < std::tie(b.node, b.package, b.core, b.cpu);
  });
  return places;
}

int numa_nodes(const std::vector<CpuPlace>& places) {
  std::set<int> nodes;
  for (const CpuPlace& place : places) nodes.insert(place.node);
  return static_cast<int>(nodes.size());
}

int numa_node_of(const fs::path& root, const std::string& pci_bus_id) {
  // The kernel writes the domain with four digits: "0000:3b:00.0".
  constexpr std::size_t kDigits = 12;
  if (pci_bus_id.size() < kDigits) return -1;
  std::string id = pci_bus_id.substr(pci_bus_id.size() - kDigits);
  std::transform(id.begin(), id.end(), id.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return number_in(root / "sys/bus/pci/devices" / id / "numa_node", -1);
}

}  // namespace ringside::probe
