#include "gui/launch/machine.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "gui/launch/paths.h"
#include "protocol/messages/cuda_code.h"

namespace ringside::launch {
namespace {

using nlohmann::json;

constexpr std::int64_t kLimitNs = 20'000'000'000;

template <class T>
T value_or(const json& object, const char* key, T otherwise) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? otherwise : found->get<T>();
}

Gpu gpu_of(const json& object) {
  Gpu gpu;
  gpu.index = value_or(object, "index", 0);
  gpu.uuid = value_or(object, "uuid", std::string());
  gpu.name = value_or(object, "name", std::string());
  gpu.mig = value_or(object, "mig", false);
  gpu.capability = value_or(object, "compute_capability", std::string());
  gpu.memory_used_bytes = value_or(object, "memory_used_bytes", std::int64_t{-1});
  gpu.memory_total_bytes = value_or(object, "memory_total_bytes", std::int64_t{-1});
  gpu.utilisation_pct = value_or(object, "utilisation_pct", -1.0);
  gpu.temperature_c = value_or(object, "temperature_c", -1.0);
  gpu.power_w = value_or(object, "power_w", -1.0);
  for (const auto& process : object.value("processes", json::array())) {
    gpu.pids.push_back(value_or(process, "pid", std::int64_t{-1}));
  }
  return gpu;
}

Link link_of(const json& object) {
  return {value_or(object, "a", 0), value_or(object, "b", 0),
          value_or(object, "word", std::string("?"))};
}

Machine machine_of(const json& object) {
  Machine machine;
  for (const auto& device : object.value("devices", json::array()))
    machine.gpus.push_back(gpu_of(device));
  for (const auto& link : object.value("links", json::array()))
    machine.links.push_back(link_of(link));
  machine.cores = std::max(1, value_or(object, "cpu_slots", 1));
  const json cpu = object.value("cpu", json::object());
  machine.numa_nodes = value_or(cpu, "numa_nodes", 1);
  machine.cpu_name = value_or(cpu, "name", std::string());
  const json host = object.value("host", json::object());
  machine.host = value_or(host, "name", std::string());
  machine.kernel = value_or(host, "kernel", std::string());
  machine.memory_total_bytes = value_or(host, "memory_total_bytes", std::int64_t{-1});
  machine.memory_available_bytes = value_or(host, "memory_available_bytes", std::int64_t{-1});
  const json driver = object.value("driver", json::object());
  machine.driver = value_or(driver, "version", std::string());
  machine.cuda = value_or(driver, "cuda_version", std::string());
  machine.driver_problem = value_or(driver, "problem", std::string());
  machine.gpu_expected = value_or(driver, "expected", false);
  return machine;
}

// Asked only once: the answer depends on the library alone, and loading that takes a second.
std::vector<std::string> ask_cuda_code() {
  static const std::vector<std::string> code = [] {
    std::vector<std::string> names;
    const auto trainer = find_program("ringside-trainer");
    const auto captured =
        trainer ? capture({trainer->string(), "--cuda-code"}, kLimitNs) : failure("no trainer");
    if (!captured || captured->exit_code != 0) return names;
    std::istringstream words(captured->output);
    for (std::string name; words >> name;) names.push_back(name);
    return names;
  }();
  return code;
}

}  // namespace

std::string unusable(const Gpu& gpu, const Machine& machine, const messages::RunSpec& spec) {
  if (gpu.mig && spec.devices.world_size > 1)
    return "it is a MIG instance, the device of one rank alone";
  if (!spec.program.argv.empty()) return {};  // a custom program brings its own LibTorch
  return messages::code_misfit(machine.cuda_code, gpu.capability);
}

Machine unseen_machine() {
  Machine machine;
  machine.elsewhere = true;
  return machine;
}

Result<Machine> parse_machine(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return failure("ringside-agent --inventory did not print JSON");
  try {
    return machine_of(object);
  } catch (const json::exception& error) {
    return failure(std::string("ringside-agent --inventory printed something unexpected: ") +
                   error.what());
  }
}

Result<Machine> read_machine(const Cancelled& cancelled) {
  const auto agent = RINGSIDE_TRY(find_program("ringside-agent"));
  const auto captured = RINGSIDE_TRY(capture({agent.string(), "--inventory"}, kLimitNs, cancelled));
  if (captured.exit_code != 0) {
    return failure("ringside-agent --inventory failed with exit code " +
                   std::to_string(captured.exit_code) + ": " + captured.errors);
  }
  auto machine = parse_machine(captured.output);
  if (machine && !machine->gpus.empty()) machine->cuda_code = ask_cuda_code();
  return machine;
}

}  // namespace ringside::launch
