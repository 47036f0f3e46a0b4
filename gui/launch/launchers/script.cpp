#include "gui/launch/launchers/script.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "gui/launch/launchers/launchers.h"
#include "protocol/base/printable.h"
#include "protocol/base/text.h"
#include "protocol/messages/spec/node_ranks.h"

namespace ringside::launch {
namespace {

using Words = std::vector<std::string>;

Result<void> check_environment(const Words& environment) {
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (equals == 0) return bad_request("--env: no name before the =; write NAME=value");
    if (equals == entry.npos)
      return bad_request("--env \"" + printable_line(name) + "\": write NAME=value");
    if (is_of_agent(name)) {
      return bad_request("--env " + name + ": Ringside sets it for each rank" +
                         (name == kVisibleGpus ? "; use --devices" : ""));
    }
  }
  return {};
}

/// The number of ranks on this machine for the launcher's word.
Result<std::int64_t> counted_ranks(const std::string& word, const ScriptRequest& request) {
  const std::int64_t gpus = request.gpus.value_or(0);
  if (word != "cpu" && gpus > 0) return gpus;
  if (word == "any") return 1;
  if (word != "gpu" && request.cores) return *request.cores;
  if (word == "gpu" && request.gpus)
    return bad_request("the command wants one rank for each GPU, and there is none; use --ranks N");
  return bad_request("how many ranks? The command says \"" + word + "\"; use --ranks N");
}

Result<void> set_devices(const Words& devices, bool counted, messages::RunSpec& spec) {
  if (devices.empty()) return {};
  if (devices.size() == 1 && devices.front() == "cpu") {
    spec.devices.kind = "cpu";
    return {};
  }
  const auto ranks = static_cast<std::size_t>(spec.devices.world_size);
  const std::string there =
      std::to_string(devices.size()) + (devices.size() == 1 ? " device is" : " devices are");
  if (counted && ranks > devices.size()) {
    return bad_request(std::to_string(ranks) + " ranks need as many devices, and " + there +
                       " named: " + "add some or lower --ranks");
  }
  for (const std::string& device : devices) {
    // A word without digits, such as "cuda", selects no particular device.
    if (device.find_first_of("0123456789") == device.npos && !device.starts_with("GPU-"))
      return bad_request("--devices: write numbers or UUIDs of GPUs, or cpu alone");
    if (std::count(devices.begin(), devices.end(), device) > 1)
      return bad_request("--devices names " + printable_line(device) + " twice");
  }
  spec.devices.kind = "cuda";
  spec.devices.ids = devices;
  if (counted) {
    spec.devices.ids.resize(ranks);
  } else {
    spec.devices.world_size = static_cast<std::int64_t>(devices.size());
  }
  return {};
}

/// The launcher's number of threads becomes a setting of the run, since the agent sets that
/// variable.
Result<void> take_threads(Words& environment, messages::RunSpec& spec) {
  constexpr std::string_view kThreads = "OMP_NUM_THREADS=";
  for (const std::string& entry : environment) {
    if (!entry.starts_with(kThreads)) continue;
    const auto threads = whole_number(std::string_view(entry).substr(kThreads.size()));
    if (!threads || *threads < 0 || *threads > 4096)
      return bad_request(printable_line(entry) + ": write a number of threads up to 4096");
    spec.devices.threads = *threads;
  }
  std::erase_if(environment, [&](const auto& entry) { return entry.starts_with(kThreads); });
  return {};
}

void set_baseline(const std::string& baseline, messages::RunSpec& spec) {
  const bool mode =
      baseline.empty() || baseline == "run" || baseline == "reuse" || baseline == "none";
  spec.baseline.mode = baseline.empty() ? "none" : mode ? baseline : "reuse";
  if (!mode) spec.baseline.run = baseline;
}

/// A person's own variables override those of the launcher.
Words merged(const Words& launcher, const Words& asked) {
  Words all = asked;
  for (const std::string& entry : launcher) {
    const std::string name = entry.substr(0, entry.find('=') + 1);
    const bool there = std::any_of(asked.begin(), asked.end(),
                                   [&](const auto& other) { return other.starts_with(name); });
    if (!there) all.push_back(entry);
  }
  return all;
}

}  // namespace

Result<messages::RunSpec> script_spec(const ScriptRequest& request, Words& notes) {
  auto command = RINGSIDE_TRY(understand(request));
  RINGSIDE_TRY(check_environment(request.environment));
  messages::RunSpec spec;
  spec.program.argv = std::move(command.argv);
  spec.program.cwd = request.cwd;
  RINGSIDE_TRY(take_threads(command.environment, spec));
  spec.program.environment = merged(command.environment, request.environment);
  spec.program.instrument = request.instrument;
  spec.name = !request.name.empty()  ? request.name
              : command.name.empty() ? messages::program_name(spec.program.argv)
                                     : command.name;
  const Words& devices = request.devices.empty() ? command.devices : request.devices;
  auto ranks = request.ranks ? request.ranks : command.ranks;
  if (!ranks && !command.counted.empty() && devices.empty()) {
    const auto counted = RINGSIDE_TRY(counted_ranks(command.counted, request));
    ranks = counted;
  }
  // A plain process sees the same devices as without Ringside.
  const bool plain = messages::started_as(spec) == "script";
  if (plain && !ranks && devices.empty() && request.gpus.value_or(0) > 0) ranks = request.gpus;
  // The visible GPUs of a plain program belong to one process, not one to each rank.
  if (!plain && !ranks && command.counted.empty() && request.devices.empty() &&
      devices.size() > 1) {
    return bad_request(std::string(kVisibleGpus) + " names " + std::to_string(devices.size()) +
                       " GPUs: use --devices for a rank on each, or --ranks 1 for the first alone");
  }
  if (ranks && (*ranks < 1 || *ranks > 4096))
    return bad_request(std::to_string(*ranks) + " ranks: write a number from 1 to 4096");
  spec.devices.world_size = ranks.value_or(1);
  if (!command.starts_ranks.empty()) {
    if (messages::process_count(spec) > 1)
      return bad_request(command.starts_ranks + "; with --ranks each rank would do so");
    notes.push_back(command.starts_ranks);
  }
  if (command.counted == "cpu" && !request.ranks) spec.devices.kind = "cpu";
  RINGSIDE_TRY(set_devices(devices, ranks.has_value(), spec));
  spec.limits.restarts = request.restarts.value_or(command.restarts.value_or(0));
  set_baseline(request.baseline, spec);
  notes.insert(notes.end(), command.notes.begin(), command.notes.end());
  if (request.ranks && command.ranks && *request.ranks != *command.ranks) {
    notes.push_back("the command says " + std::to_string(*command.ranks) +
                    " ranks, --ranks goes before it");
  }
  return spec;
}

}  // namespace ringside::launch
