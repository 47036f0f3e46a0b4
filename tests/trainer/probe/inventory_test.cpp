#include "trainer/probe/inventory.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/fake_nvml.h"
#include "tests/support/temp_folder.h"

using namespace ringside;
using namespace ringside::probe;
using nlohmann::json;

TEST_CASE("the inventory of a host without GPUs has the reason") {
  const TempFolder root;
  root.write("proc/meminfo", "MemTotal: 2048 kB\nMemAvailable: 1024 kB\n");
  root.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Test CPU 9000\nflags\t: x\n");
  const Result<NvmlApi> none = failure("no NVIDIA driver here: x");
  const json object = json::parse(to_json(take_inventory(root.path(), none)));
  CHECK(object.at("devices").empty());
  CHECK(object.at("links").empty());
  CHECK(object.at("cpu_slots").get<int>() >= 1);
  CHECK(object.at("cpu").at("name") == "Test CPU 9000");
  CHECK(object.at("host").at("memory_total_bytes") == 2048 * 1024);
  CHECK_FALSE(object.at("host").at("name").get<std::string>().empty());
  CHECK(object.at("driver").at("version").is_null());
  CHECK(object.at("driver").at("problem") == "no NVIDIA driver here: x");
  CHECK(object.at("driver").at("expected") == false);
  root.write("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
  root.write("sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
  CHECK(take_inventory(root.path(), none).gpu_expected);
}

TEST_CASE("in a container the driver's host pids are not used") {
  fake_nvml::gpus().assign(1, {});
  fake_nvml::gpus()[0].processes = {{77, 1024, 0, 0}};
  const TempFolder root;
  std::filesystem::create_directories(root.path() / "proc/self/ns");
  const auto space = root.path() / "proc/self/ns/pid";
  std::filesystem::create_symlink("pid:[4026531836]", space);
  CHECK(take_inventory(root.path(), fake_nvml::api()).gpus[0].processes[0].pid == 77);
  std::filesystem::remove(space);
  std::filesystem::create_symlink("pid:[4026532201]", space);
  const auto inside = take_inventory(root.path(), fake_nvml::api());
  CHECK(inside.gpus[0].processes.size() == 1);
  CHECK(json::parse(to_json(inside))["devices"][0]["processes"][0]["pid"].is_null());
}

TEST_CASE("GPUs that are all hidden have a reason, unless that was requested") {
  fake_nvml::gpus().assign(1, {});
  const TempFolder root;
  const auto seen = [&root](const char* visible) {
    ::setenv("CUDA_VISIBLE_DEVICES", visible, 1);
    const Inventory inventory = take_inventory(root.path(), fake_nvml::api());
    ::unsetenv("CUDA_VISIBLE_DEVICES");
    return inventory;
  };
  CHECK(seen("0").gpus.size() == 1);
  CHECK(seen("7").driver_problem == "CUDA_VISIBLE_DEVICES = \"7\" names no GPU of this machine");
  CHECK(seen("7").gpu_expected);
  for (const char* none : {"", "-1"}) {
    CHECK(seen(none).gpus.empty());
    CHECK(seen(none).driver_problem.empty());
    CHECK_FALSE(seen(none).gpu_expected);
  }
  fake_nvml::gpus().clear();
  CHECK(take_inventory(root.path(), fake_nvml::api()).driver_problem ==
        "the NVIDIA driver offers no GPU");
}

TEST_CASE("the inventory lists GPUs, their processes and links") {
  fake_nvml::gpus().clear();
  for (int i = 0; i < 2; ++i) {
    fake_nvml::Gpu gpu;
    gpu.uuid = "GPU-" + std::to_string(i);
    gpu.name = i == 0 ? "Bad\xff name" : "Good name";  // not UTF-8: data, not an error
    gpu.bus_id = "bus" + std::to_string(i);
    fake_nvml::gpus().push_back(gpu);
  }
  fake_nvml::gpus()[1].has_power = false;
  fake_nvml::gpus()[1].capability_minor = -1;
  fake_nvml::gpus()[0].processes = {{77, 1024, 0, 0}};
  const TempFolder root;
  const json object = json::parse(to_json(take_inventory(root.path(), fake_nvml::api())));
  REQUIRE(object.at("devices").size() == 2);
  CHECK(object["devices"][1]["name"] == "Good name");
  CHECK(object["devices"][0]["processes"][0]["pid"] == 77);
  CHECK(object["devices"][0]["utilisation_pct"] == 50);
  CHECK(object["devices"][0]["compute_capability"] == "8.0");
  CHECK(object["devices"][1]["compute_capability"].is_null());
  CHECK(object["devices"][0]["power_w"] == 350.5);
  CHECK(object["devices"][1]["power_w"].is_null());
  CHECK(object["devices"][1]["temperature_c"].is_null());
  CHECK(object["links"][0]["path"] == "host bridge");
  CHECK(object["driver"]["version"] == "580.1");
  CHECK(object["driver"]["cuda_version"] == "13.1");
  CHECK(object["driver"]["problem"].is_null());
}
