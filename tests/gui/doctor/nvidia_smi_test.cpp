#include "gui/doctor/nvidia_smi.h"

#include "tests/support/catch.h"

using namespace ringside;
using namespace ringside::doctor;

namespace {

constexpr const char* kCsv =
    "GPU-aa, NVIDIA H100 80GB HBM3, 34, 71.55, 4\n"
    "GPU-bb, NVIDIA H100 80GB HBM3, 36, [N/A], 1028\n";

// The matrix as printed to a terminal, with underlined heads.
constexpr const char* kMatrix =
    "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\x1b[0m\n"
    "GPU0\t X \tNV18\tPIX\t0-51\t0\n"
    "GPU1\tNV18\t X \tSYS\t52-103\t1\n"
    "NIC0\tPIX\tSYS\t X \t\t\n"
    "\nLegend:\n\n  X    = Self\n";

launch::Machine machine() {
  launch::Machine machine;
  for (const char* uuid : {"GPU-aa", "GPU-bb"}) {
    launch::Gpu gpu;
    gpu.index = static_cast<int>(machine.gpus.size());
    gpu.uuid = uuid;
    gpu.name = "NVIDIA H100 80GB HBM3";
    gpu.temperature_c = 35;
    gpu.power_w = 70;
    gpu.memory_used_bytes = std::int64_t{4} << 20;
    machine.gpus.push_back(gpu);
  }
  machine.gpus[1].memory_used_bytes = std::int64_t{1000} << 20;
  machine.links = {{0, 1, "NV18"}};
  return machine;
}

bool holds(const CheckVerdict& judged, const std::string& what) {
  for (const Measure& measure : judged.measures) {
    if (measure.what == what) return measure.holds;
  }
  FAIL("no measure " + what);
  return false;
}

}  // namespace

TEST_CASE("the table and the matrix of nvidia-smi are parsed") {
  const auto gpus = smi_gpus(kCsv);
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].uuid == "GPU-aa");
  CHECK(gpus[0].power_w == Approx(71.55));
  CHECK(gpus[1].power_w < 0);
  CHECK(gpus[1].memory_used_mib == 1028);
  CHECK(smi_links(kMatrix) == SmiLinks{{{0, 1}, "NV18"}});
  CHECK(smi_gpus("No devices were found\n").empty());
  CHECK(smi_links("").empty());
}

TEST_CASE("NVML and nvidia-smi agree within 2 degrees, 10 % and 64 MiB, and exactly in names") {
  const auto links = smi_links(kMatrix);
  const auto good = judge_nvml(machine(), smi_gpus(kCsv), smi_gpus(kCsv), links);
  for (const Measure& measure : good.measures) {
    INFO(measure.sentence);
    CHECK(measure.holds);
  }
  auto other = machine();
  other.gpus[0].temperature_c = 31;
  other.gpus[0].power_w = 90;
  other.gpus[1].memory_used_bytes = std::int64_t{900} << 20;
  other.links[0].word = "SYS";
  const auto bad = judge_nvml(other, smi_gpus(kCsv), smi_gpus(kCsv), links);
  CHECK(holds(bad, "gpus"));
  for (const char* what : {"links", "temperature", "power", "memory"}) CHECK(!holds(bad, what));
  other.gpus[1].uuid = "GPU-cc";
  CHECK(!holds(judge_nvml(other, smi_gpus(kCsv), smi_gpus(kCsv), links), "gpus"));
}

TEST_CASE("a GPU that cools down during the query is between its two readings") {
  auto before = smi_gpus(kCsv);
  auto after = before;
  launch::Machine cooling = machine();
  before[0].power_w = 310;
  cooling.gpus[0].power_w = 250;
  after[0].power_w = 190;
  const auto judged = judge_nvml(cooling, before, after, smi_links(kMatrix));
  CHECK(holds(judged, "power"));
  after[0].power_w = 300;
  CHECK(!holds(judge_nvml(cooling, before, after, smi_links(kMatrix)), "power"));
}
