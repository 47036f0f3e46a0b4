#include "gui/launch/baselines.h"

#include <algorithm>
#include <array>

#include "protocol/messages/settings.h"

namespace ringside::launch {
namespace {

using messages::RunSpec;

// For a name such as "digits · convnet" without one: what would be displayed must not change with
// the baseline.
bool is_work(const std::string& key) {
  static const std::array<std::string, 6> kFree = {"name",        "devices.", "baseline.",
                                                   "checkpoint.", "limits.",  "data.workers"};
  return std::none_of(kFree.begin(), kFree.end(),
                      [&](const auto& free) { return key.starts_with(free); });
}

std::size_t work_settings() {
  const auto& all = messages::settings();
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const auto& one) { return is_work(one.key); }));
}

// "train.epochs = 3 here, 99 there"; empty: the same work.
std::string other_work(const RunSpec& wanted, const RunSpec& earlier) {
  std::string differing;
  for (const auto& difference : messages::differences(wanted, earlier)) {
    if (!is_work(difference.key)) continue;
    differing += (differing.empty() ? "" : ", ") + difference.key + " = " + difference.left +
                 " here, " + difference.right + " there";
  }
  return differing;
}

// The name of the GPU a run computed on; its UUID where this machine does not have it.
std::string gpu_of(const RunSpec& spec, const Machine& machine) {
  if (spec.devices.ids.empty()) return "a GPU that is not named";
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.uuid == spec.devices.ids.front()) return gpu.name;
  }
  return spec.devices.ids.front();
}

std::string device_text(const RunSpec& spec, const Machine& machine) {
  if (spec.devices.kind == "cuda") return "one " + gpu_of(spec, machine);
  return "1 CPU slot, " + std::to_string(spec.devices.threads) +
         (spec.devices.threads == 1 ? " thread" : " threads");
}

}  // namespace

RunSpec baseline_of(const RunSpec& spec) {
  RunSpec baseline = spec;
  baseline.name = messages::display_name(spec) + " · baseline";
  baseline.devices.world_size = 1;
  baseline.devices.parallel = "ddp";
  if (!baseline.devices.ids.empty()) baseline.devices.ids.resize(1);
  // Weak scaling: N times as many steps see the same samples.
  if (spec.batch.meaning == "per_rank") baseline.train.max_steps *= spec.devices.world_size;
  baseline.baseline = {};
  return baseline;
}

std::string not_comparable(const RunSpec& spec, const EarlierRun& earlier) {
  if (!earlier.finished) return "run " + earlier.id + " did not finish";
  const bool one = earlier.spec.devices.world_size == 1;
  const std::string differing = other_work(one ? baseline_of(spec) : spec, earlier.spec);
  return differing.empty() ? "" : "run " + earlier.id + " did other work: " + differing;
}

Equality equal_baseline(const RunSpec& spec, const EarlierRun& earlier, const Machine& machine) {
  const RunSpec wanted = baseline_of(spec);
  if (earlier.spec.devices.world_size != 1) {
    return {false,
            "run " + earlier.id + " has " + std::to_string(earlier.spec.devices.world_size) +
                " ranks, a baseline has one",
            {}};
  }
  if (std::string why = not_comparable(spec, earlier); !why.empty())
    return {false, std::move(why), {}};
  const std::string here = device_text(wanted, machine);
  const std::string there = device_text(earlier.spec, machine);
  if (wanted.devices.kind != earlier.spec.devices.kind || here != there) {
    return {false,
            "run " + earlier.id + " computed on " + there + ", the baseline would on " + here,
            {}};
  }
  const std::string count = std::to_string(work_settings());
  return {true,
          "run " + earlier.id + " finished, on " + here + " as the baseline would, and all " +
              count +
              " settings of program, model, data, batch, train, optimizer, schedule, sampler and "
              "evaluate are equal; name, checkpoints, limits, loader threads and which device of "
              "that kind may differ",
          count + " settings equal, " + here};
}

}  // namespace ringside::launch
