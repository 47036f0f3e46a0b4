#include "trainer/probe/gpu_probe.h"

#include "tests/support/catch.h"
#include "tests/support/fake_nvml.h"

using namespace ringside;
using namespace ringside::probe;
using messages::DeviceField;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

void two_gpus() {
  fake_nvml::gpus().clear();
  for (int i = 0; i < 2; ++i) {
    fake_nvml::Gpu gpu;
    gpu.uuid = "GPU-0000000" + std::to_string(i);
    gpu.bus_id = "00000000:0" + std::to_string(i) + ":00.0";
    fake_nvml::gpus().push_back(gpu);
  }
}

}  // namespace

TEST_CASE("a host without the driver's library gets an error") {
  const auto api = load_nvml("libringside-has-no-such-library.so.1");
  REQUIRE_FALSE(api);
  CHECK(api.error().message.find("no NVIDIA driver here") != std::string::npos);
}

TEST_CASE("a library that is not NVML is refused without a crash") {
  const auto api = load_nvml("libc.so.6");
  REQUIRE_FALSE(api);
  CHECK(api.error().message.find("lacks functions") != std::string::npos);
}

TEST_CASE("devices are listed with the driver's information") {
  two_gpus();
  fake_nvml::gpus()[1].processes = {{4711, 5ULL << 20, 0, 0}, {4712, ~0ULL, 0, 0}};
  const GpuProbe probe(fake_nvml::api());
  REQUIRE(probe.gpus().size() == 2);
  CHECK(probe.gpus()[1].uuid == "GPU-00000001");
  CHECK(probe.gpus()[1].memory_total_bytes == std::int64_t{80} << 30);
  REQUIRE(probe.gpus()[1].processes.size() == 2);
  CHECK(probe.gpus()[1].processes[0].pid == 4711);
  CHECK(probe.gpus()[1].processes[1].used_bytes == -1);
  CHECK(probe.driver_version() == "580.1");
  CHECK(probe.cuda_version() == "13.1");
}

TEST_CASE("a sample marks exactly the fields that were read") {
  two_gpus();
  fake_nvml::gpus()[0].has_power = false;
  GpuProbe probe(fake_nvml::api());
  const auto sample = probe.sample(0, kSecond, true);
  CHECK(is_valid(sample, DeviceField::kUtilisation));
  CHECK(sample.utilisation_pct == Approx(50));
  CHECK(is_valid(sample, DeviceField::kMemoryUsed));
  CHECK(sample.memory_used_bytes == std::int64_t{1} << 30);
  CHECK_FALSE(is_valid(sample, DeviceField::kPower));        // refused
  CHECK_FALSE(is_valid(sample, DeviceField::kTemperature));  // missing in this driver
  CHECK_FALSE(is_valid(sample, DeviceField::kLinkTx));       // no NVLink
  CHECK(is_valid(sample, DeviceField::kPcieRx));
  CHECK(sample.pcie_rx_bytes_per_s == Approx(2e6));
  CHECK(sample.sm_clock_mhz == Approx(1980));
  CHECK(sample.memory_clock_mhz == Approx(3201));
  const auto other = probe.sample(1, kSecond, true);
  CHECK(is_valid(other, DeviceField::kPower));
  CHECK(other.power_w == Approx(350.5));
}

TEST_CASE("memory in use is that of programs, without the driver's reserve") {
  two_gpus();
  fake_nvml::gpus()[0].reserved_bytes = 600ULL << 20;
  NvmlApi api = fake_nvml::api();
  CHECK(GpuProbe(api).gpus()[0].memory_used_bytes == std::int64_t{1} << 30);
  CHECK(GpuProbe(api).sample(0, kSecond, false).memory_used_bytes == std::int64_t{1} << 30);
  api.memory_v2 = nullptr;  // as in a driver before 510
  const auto older = GpuProbe(api).sample(0, kSecond, false);
  CHECK(is_valid(older, DeviceField::kMemoryUsed));
  CHECK(older.memory_used_bytes == (std::int64_t{1} << 30) + (std::int64_t{600} << 20));
}

TEST_CASE("PCIe traffic is read only on request") {
  two_gpus();
  static int asked = 0;
  asked = 0;
  NvmlApi api = fake_nvml::api();
  api.pcie_kb_per_s = [](NvmlDevice, int, unsigned* rate) {
    ++asked;
    *rate = 1;
    return 0;
  };
  GpuProbe probe(api);
  CHECK_FALSE(is_valid(probe.sample(0, kSecond, false), DeviceField::kPcieRx));
  CHECK(asked == 0);
  CHECK(is_valid(probe.sample(0, kSecond, true), DeviceField::kPcieRx));
  CHECK(asked == 2);
}

TEST_CASE("link traffic is a rate between two samples") {
  two_gpus();
  fake_nvml::gpus()[0].nvlink_ends = {""};
  GpuProbe probe(fake_nvml::api());
  CHECK_FALSE(is_valid(probe.sample(0, kSecond, true), DeviceField::kLinkTx));
  fake_nvml::gpus()[0].link_tx_kib = 2000;
  fake_nvml::gpus()[0].link_rx_kib = 500;
  const auto sample = probe.sample(0, 3 * kSecond, true);
  REQUIRE(is_valid(sample, DeviceField::kLinkTx));
  CHECK(sample.link_tx_bytes_per_s == Approx(1000 * 1024));
  CHECK(sample.link_rx_bytes_per_s == Approx(250 * 1024));
  fake_nvml::gpus()[0].link_tx_kib = 0;  // the driver was reloaded
  CHECK_FALSE(is_valid(probe.sample(0, 4 * kSecond, true), DeviceField::kLinkTx));
}

TEST_CASE("links have the names of nvidia-smi") {
  std::string words;
  for (const char* path : {"same board", "one switch", "switches", "host bridge", "same node",
                           "across sockets", "unknown"})
    words += link_word({.path = path}) + " ";
  CHECK(words == "PIX PIX PXB PHB NODE SYS ? ");
  CHECK(link_word({.path = "same node", .nvlink_count = 4}) == "NV4");
  CHECK(link_word({.path = "same node", .nvswitch = true, .nvswitch_links = 18}) == "NV18");
}

TEST_CASE("direct NVLinks are counted, switches recognised, and PCIe paths named") {
  two_gpus();
  auto& gpus = fake_nvml::gpus();
  CHECK(GpuProbe(fake_nvml::api()).links()[0].path == "host bridge");
  CHECK(link_word(GpuProbe(fake_nvml::api()).links()[0]) == "PHB");
  gpus[0].nvlink_ends = {gpus[1].bus_id, gpus[1].bus_id};
  gpus[1].nvlink_ends = {gpus[0].bus_id, gpus[0].bus_id};
  auto link = GpuProbe(fake_nvml::api()).links().at(0);
  CHECK(link.nvlink_count == 2);
  CHECK(link_word(link) == "NV2");
  CHECK_FALSE(link.nvswitch);
  gpus[0].nvlink_ends = {"00000000:C0:00.0"};
  gpus[1].nvlink_ends = {"00000000:C0:00.0"};
  link = GpuProbe(fake_nvml::api()).links().at(0);
  CHECK(link.nvlink_count == 0);
  CHECK(link.nvswitch);
}

TEST_CASE("a GPU that is split is listed as its MIG instances, which are found by their ids") {
  two_gpus();
  fake_nvml::Gpu instance;
  instance.used_bytes = 5ULL << 30;
  for (const char* uuid : {"MIG-aa", "MIG-bb"}) {
    instance.uuid = uuid;
    fake_nvml::gpus()[1].instances.push_back(instance);
  }
  GpuProbe probe(fake_nvml::api());
  REQUIRE(probe.gpus().size() == 3);
  CHECK(probe.gpus()[0].mig_of.empty());
  CHECK(probe.gpus()[2].uuid == "MIG-bb");
  CHECK(probe.gpus()[2].mig_of == "GPU-00000001");
  CHECK(probe.gpus()[2].index == 1);
  CHECK(probe.gpus()[2].capability == "8.0");
  const auto sample = probe.sample(2, kSecond, true);
  CHECK(sample.device_uuid == "MIG-bb");
  CHECK(sample.memory_used_bytes == std::int64_t{5} << 30);
  const auto seen = [&](const char* variable) {
    std::string uuids;
    for (const auto& gpu : visible_gpus(probe.gpus(), variable)) uuids += gpu.uuid + " ";
    return uuids;
  };
  CHECK(seen("MIG-bb") == "MIG-bb ");
  CHECK(seen("GPU-00000000,MIG-aa") == "GPU-00000000 MIG-aa ");
  CHECK(seen("1") == "MIG-aa ");             // CUDA takes the first of them
  CHECK(seen("GPU-00000001") == "MIG-aa ");  // the same
  CHECK(seen("MIG-cc").empty());
}

TEST_CASE("a warning says which GPUs were taken for numbers when they are of several kinds") {
  std::vector<GpuInfo> all(2);
  all[1].index = 1;
  all[0].uuid = "GPU-slow";
  all[1].uuid = "GPU-fast";
  all[0].name = all[1].name = "T4";
  CHECK(order_warning(all, "1", "").empty());
  all[1].name = "H100";
  CHECK(order_warning(all, "0", "").find("as nvidia-smi does: T4 (GPU-slow);") !=
        std::string::npos);
  CHECK(order_warning(all, "1,0", "FASTEST_FIRST").find("H100 (GPU-fast), T4 (GPU-slow);") !=
        std::string::npos);
  CHECK(order_warning(all, "1", "PCI_BUS_ID").empty());
  CHECK(order_warning(all, "GPU-fast", "").empty());
  CHECK(order_warning(all, "", "").empty());
}

TEST_CASE("CUDA_VISIBLE_DEVICES selects and orders, and ends at the first unknown entry") {
  two_gpus();
  const GpuProbe probe(fake_nvml::api());
  const auto count = [&](std::optional<std::string_view> variable) {
    return visible_gpus(probe.gpus(), variable).size();
  };
  CHECK(count(std::nullopt) == 2);
  CHECK(count("") == 0);
  CHECK(count("1") == 1);
  CHECK(count("0,7,1") == 1);
  CHECK(count("-1") == 0);
  const auto swapped = visible_gpus(probe.gpus(), "GPU-00000001, 0");
  REQUIRE(swapped.size() == 2);
  CHECK(swapped[0].index == 1);
  CHECK(swapped[1].index == 0);
}
