#include "trainer/probe/cpu_places.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::probe;

namespace {

void write_cpu(const TempFolder& root, int cpu, int node, int package, int core) {
  const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
  root.write(folder + "node" + std::to_string(node) + "/cpulist", "");
  root.write(folder + "topology/physical_package_id", std::to_string(package) + "\n");
  root.write(folder + "topology/core_id", std::to_string(core) + "\n");
}

std::vector<int> cpu_numbers(const std::vector<CpuPlace>& places) {
  std::vector<int> numbers;
  for (const CpuPlace& place : places) numbers.push_back(place.cpu);
  return numbers;
}

}  // namespace

TEST_CASE("CPUs of one node and core are neighbours, however the kernel numbers them") {
  const TempFolder root;
  // Two nodes of two cores; CPUs 4 to 7 are the second hardware threads.
  for (int cpu = 0; cpu < 8; ++cpu) write_cpu(root, cpu, cpu % 2, cpu % 2, cpu % 4 / 2);
  const auto places = cpu_places(root.path(), {0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(cpu_numbers(places) == std::vector<int>{0, 4, 2, 6, 1, 5, 3, 7});
  CHECK(numa_nodes(places) == 2);
  CHECK(numa_nodes(cpu_places(root.path(), {1, 3})) == 1);
}

TEST_CASE("without the kernel's folders all CPUs are cores of one node") {
  const TempFolder root;
  const auto places = cpu_places(root.path(), {3, 1});
  CHECK(cpu_numbers(places) == std::vector<int>{1, 3});
  CHECK(places[0].core != places[1].core);
  CHECK(numa_nodes(places) == 1);
}

TEST_CASE("the node of a GPU is found by the bus id that NVML writes") {
  const TempFolder root;
  root.write("sys/bus/pci/devices/0000:3b:00.0/numa_node", "1\n");
  CHECK(numa_node_of(root.path(), "00000000:3B:00.0") == 1);
  CHECK(numa_node_of(root.path(), "00000000:5E:00.0") == -1);
  CHECK(numa_node_of(root.path(), "") == -1);
}
