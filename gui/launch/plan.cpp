#include "gui/launch/plan.h"

#include <algorithm>
#include <array>

#include "protocol/messages/data_facts.h"

namespace ringside::launch {
namespace {

using messages::RunSpec;

Result<void> settle_gpus(RunSpec& spec, const Machine& machine) {
  const auto wanted = static_cast<std::size_t>(spec.devices.world_size);
  if (!spec.devices.ids.empty()) {
    for (const auto& id : spec.devices.ids) {
      const bool known = std::any_of(machine.gpus.begin(), machine.gpus.end(),
                                     [&](const Gpu& gpu) { return gpu.uuid == id; });
      if (!known)
        return bad_request("devices.ids names " + id +
                           ", which this machine does not have; `ringside doctor` lists its GPUs");
    }
    return {};
  }
  if (machine.gpus.size() < wanted) {
    const std::string why =
        machine.driver_problem.empty() ? "" : " (" + machine.driver_problem + ")";
    return bad_request("devices.world_size = " + std::to_string(wanted) +
                       " needs as many GPUs, this machine offers " +
                       std::to_string(machine.gpus.size()) + why +
                       "; lower devices.world_size or use devices.kind = \"cpu\"");
  }
  for (std::size_t i = 0; i < wanted; ++i) spec.devices.ids.push_back(machine.gpus[i].uuid);
  return {};
}

Result<void> settle_cpu(RunSpec& spec, const Machine& machine, std::vector<std::string>& warnings) {
  if (spec.devices.parallel == "dp" && spec.devices.world_size > 1) {
    return bad_request("devices.parallel = \"dp\" drives " +
                       std::to_string(spec.devices.world_size) +
                       " GPUs from one process; on CPU slots use devices.world_size = 1 or "
                       "devices.parallel = \"ddp\"");
  }
  spec.devices.ids.clear();
  const std::int64_t ranks = messages::process_count(spec);
  if (spec.devices.threads == 0) {
    spec.devices.threads = std::max<std::int64_t>(1, machine.cores / ranks);
  }
  const std::int64_t wanted = ranks * spec.devices.threads;
  if (wanted > machine.cores) {
    warnings.push_back(std::to_string(ranks) + " CPU ranks with " +
                       std::to_string(spec.devices.threads) + " thread(s) each share " +
                       std::to_string(machine.cores) +
                       " core(s): they will wait for each other, and the speedup says little");
  }
  return {};
}

Result<void> settle_devices(RunSpec& spec, const Machine& machine,
                            std::vector<std::string>& warnings) {
  if (spec.devices.kind == "auto") {
    const bool enough = machine.gpus.size() >= static_cast<std::size_t>(spec.devices.world_size);
    if (!machine.gpus.empty() && !enough && spec.devices.ids.empty()) {
      warnings.push_back("this machine has " + std::to_string(machine.gpus.size()) +
                         " GPU(s) for " + std::to_string(spec.devices.world_size) +
                         " ranks, so the CPU is used");
    }
    spec.devices.kind = enough || !spec.devices.ids.empty() ? "cuda" : "cpu";
  }
  if (spec.devices.kind == "cuda") return settle_gpus(spec, machine);
  return settle_cpu(spec, machine, warnings);
}

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

// For a name such as "digits · convnet" without one: what would be displayed must not change with
// the baseline.
bool is_work(const std::string& key) {
  static const std::array<std::string, 6> kFree = {"name",        "devices.", "baseline.",
                                                   "checkpoint.", "limits.",  "data.workers"};
  return std::none_of(kFree.begin(), kFree.end(),
                      [&](const auto& free) { return key.starts_with(free); });
}

}  // namespace

std::string not_comparable(const RunSpec& spec, const EarlierRun& earlier) {
  if (!earlier.finished) return "run " + earlier.id + " did not finish";
  std::string differing;
  for (const auto& difference : messages::differences(spec, earlier.spec)) {
    if (!is_work(difference.key)) continue;
    differing += (differing.empty() ? "" : ", ") + difference.key + " = " + difference.left +
                 " here, " + difference.right + " there";
  }
  if (differing.empty()) return {};
  return "run " + earlier.id + " did other work: " + differing;
}

Result<Plan> plan_experiment(const RunSpec& asked, const Machine& machine,
                             const FindEarlier& find_earlier) {
  if (const auto valid = messages::validate(asked); !valid) return pass(valid);
  RunSpec spec = asked;
  Plan plan;
  if (const auto settled = settle_devices(spec, machine, plan.warnings); !settled)
    return pass(settled);
  if (spec.baseline.mode == "reuse") {
    const auto earlier = find_earlier(spec.baseline.run);
    if (!earlier) return pass(earlier);
    if (const std::string why = not_comparable(spec, *earlier); !why.empty()) {
      return bad_request("cannot compare with the baseline: " + why +
                         "; use baseline.mode = \"run\" or another run");
    }
    spec.baseline.run = earlier->id;
  } else if (spec.baseline.mode == "run") {
    spec.baseline.run.clear();
    if (spec.devices.world_size > 1) {
      plan.runs.push_back({baseline_of(spec), true});
    } else {
      spec.baseline.mode = "none";
      plan.warnings.push_back("one rank needs no baseline: this run can be the baseline of others");
    }
  } else {
    spec.baseline.run.clear();
  }
  plan.runs.push_back({std::move(spec), false});
  // The baseline may be fine where the run is not: an hour later would be late to say so.
  for (const PlannedRun& run : plan.runs) {
    if (const auto fits = messages::check_work(run.spec); !fits) return pass(fits);
  }
  return plan;
}

}  // namespace ringside::launch
