#include "trainer/probe/inventory.h"

#include <sys/utsname.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "protocol/host/pci_bus.h"
#include "protocol/host/platform.h"
#include "trainer/probe/cpu_places.h"
#include "trainer/probe/proc_files.h"

namespace ringside::probe {
namespace {

using nlohmann::json;

json known(std::int64_t value) { return value < 0 ? json(nullptr) : json(value); }

json known(float value) { return value < 0 ? json(nullptr) : json(value); }

json known(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json device_json(const GpuInfo& gpu) {
  json processes = json::array();
  for (const GpuProcess& process : gpu.processes) {
    processes.push_back({{"pid", known(process.pid)}, {"used_bytes", known(process.used_bytes)}});
  }
  return {{"index", gpu.index},
          {"uuid", gpu.uuid},
          {"mig", !gpu.mig_of.empty()},
          {"name", gpu.name},
          {"pci_bus_id", known(gpu.pci_bus_id)},
          {"compute_capability", known(gpu.capability)},
          {"memory_total_bytes", known(gpu.memory_total_bytes)},
          {"memory_used_bytes", known(gpu.memory_used_bytes)},
          {"utilisation_pct", known(gpu.utilisation_pct)},
          {"temperature_c", known(gpu.temperature_c)},
          {"power_w", known(gpu.power_w)},
          {"processes", processes}};
}

std::string cpu_model(const std::filesystem::path& root) {
  const auto text = proc_text(root / "proc/cpuinfo");
  if (!text) return {};
  const std::size_t at = text->find("model name");
  if (at == std::string::npos) return {};
  const std::size_t colon = text->find(": ", at);
  const std::size_t end = text->find('\n', at);
  if (colon == std::string::npos || colon > end) return {};
  return text->substr(colon + 2, end - colon - 2);
}

// The driver reports host pids. In a container with its own PID namespace they would mean other
// processes.
bool has_numbers_of_host(const std::filesystem::path& root) {
  constexpr const char* kFirst = "pid:[4026531836]";  // the kernel's PROC_PID_INIT_INO
  std::error_code error;
  const auto space = std::filesystem::read_symlink(root / "proc/self/ns/pid", error);
  return error || space == kFirst;
}

void take_gpus(const NvmlApi& api, Inventory& inventory) {
  const GpuProbe probe(api);
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  inventory.gpus =
      visible_gpus(probe.gpus_with_load(),
                   variable != nullptr ? std::optional<std::string_view>(variable) : std::nullopt);
  inventory.links = probe.links();
  inventory.driver_version = probe.driver_version();
  inventory.cuda_version = probe.cuda_version();
  // An empty list, or one that begins with -1, is how a user makes CUDA use no GPU.
  inventory.gpu_expected = variable == nullptr || (*variable != '\0' && *variable != '-');
  if (!inventory.gpus.empty() || !inventory.gpu_expected) return;
  inventory.driver_problem =
      probe.gpus().empty()
          ? "the NVIDIA driver offers no GPU"
          : "CUDA_VISIBLE_DEVICES = \"" + std::string(variable) + "\" names no GPU of this machine";
}

}  // namespace

Inventory take_inventory(const std::filesystem::path& root, const Result<NvmlApi>& api) {
  Inventory inventory;
  if (api) {
    take_gpus(*api, inventory);
    if (!has_numbers_of_host(root)) {
      for (GpuInfo& gpu : inventory.gpus)
        for (GpuProcess& process : gpu.processes) process.pid = -1;
    }
  } else {
    inventory.driver_problem = api.error().message;
    inventory.gpu_expected = nvidia_gpu_on_bus(root / "sys/bus/pci/devices");
  }
  inventory.cpu = cpu_facts(root, affinity_cores());
  inventory.numa_nodes = numa_nodes(cpu_places(root, cpus_of_process()));
  inventory.cpu_name = cpu_model(root);
  utsname names{};
  if (::uname(&names) == 0) {
    inventory.host = names.nodename;
    inventory.kernel = std::string(names.sysname) + " " + names.release;
  }
  if (const auto memory = proc_text(root / "proc/meminfo")) {
    if (const auto total = number_after(*memory, "MemTotal:"))
      inventory.memory_total_bytes = *total * 1024;
    if (const auto left = number_after(*memory, "MemAvailable:"))
      inventory.memory_available_bytes = *left * 1024;
  }
  return inventory;
}

std::string to_json(const Inventory& inventory) {
  json devices = json::array();
  for (const GpuInfo& gpu : inventory.gpus) devices.push_back(device_json(gpu));
  json links = json::array();
  for (const GpuLink& link : inventory.links) {
    links.push_back({{"a", link.a},
                     {"b", link.b},
                     {"word", link_word(link)},
                     {"path", link.path},
                     {"nvlink_count", link.nvlink_count},
                     {"nvswitch", link.nvswitch},
                     {"nvswitch_links", link.nvswitch_links}});
  }
  const CpuFacts& cpu = inventory.cpu;
  json object = {{"devices", devices},
                 {"links", links},
                 {"cpu_slots", cpu.cores},
                 {"cpu",
                  {{"name", known(inventory.cpu_name)},
                   {"affinity_cores", cpu.affinity_cores},
                   {"numa_nodes", inventory.numa_nodes},
                   {"quota_cores", cpu.quota_cores ? json(*cpu.quota_cores) : json(nullptr)}}},
                 {"host",
                  {{"name", inventory.host},
                   {"kernel", inventory.kernel},
                   {"memory_total_bytes", known(inventory.memory_total_bytes)},
                   {"memory_available_bytes", known(inventory.memory_available_bytes)}}},
                 {"driver",
                  {{"version", known(inventory.driver_version)},
                   {"cuda_version", known(inventory.cuda_version)},
                   {"problem", known(inventory.driver_problem)},
                   {"expected", inventory.gpu_expected}}}};
  return object.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace ringside::probe
