#include "gui/launch/plan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "gui/launch/whole_paths.h"
#include "protocol/messages/spec/data_facts.h"
#include "protocol/messages/spec/node_ranks.h"

namespace ringside::launch {
namespace {

using messages::RunSpec;

std::vector<std::string> usable_gpus(const RunSpec& spec, const Machine& machine) {
  std::vector<std::string> uuids;
  for (const Gpu& gpu : machine.gpus)
    if (unusable(gpu, machine, spec).empty()) uuids.push_back(gpu.uuid);
  return uuids;
}

/// Text such as "; GPU 0 cannot be used: why" for each unusable GPU.
std::string unusable_text(const RunSpec& spec, const Machine& machine) {
  std::string text;
  for (const Gpu& gpu : machine.gpus) {
    const std::string why = unusable(gpu, machine, spec);
    if (!why.empty()) text += "; GPU " + std::to_string(gpu.index) + " cannot be used: " + why;
  }
  return text;
}

Result<void> settle_gpus(RunSpec& spec, const Machine& machine) {
  // The devices of other machines are left to their agents.
  const bool others = spec.devices.nodes > 1 && !messages::has_virtual_nodes(spec);
  if (others || machine.elsewhere) return {};
  const auto wanted = static_cast<std::size_t>(spec.devices.world_size);
  if (!spec.devices.ids.empty()) {
    for (auto& id : spec.devices.ids) {
      for (const Gpu& gpu : machine.gpus) {  // people type GPU numbers
        if (id == std::to_string(gpu.index)) id = gpu.uuid;
      }
      const bool known = std::any_of(machine.gpus.begin(), machine.gpus.end(),
                                     [&](const Gpu& gpu) { return gpu.uuid == id; });
      if (!known)
        return bad_request("devices.ids names " + id +
                           ", which this machine does not have; `ringside doctor` lists its GPUs");
    }
    return {};
  }
  const auto usable = usable_gpus(spec, machine);
  if (usable.size() < wanted) {
    const std::string why =
        machine.driver_problem.empty() ? "" : " (" + machine.driver_problem + ")";
    return bad_request("devices.world_size = " + std::to_string(wanted) +
                       " needs as many GPUs, this machine offers " + std::to_string(usable.size()) +
                       why + unusable_text(spec, machine) +
                       "; lower devices.world_size or use devices.kind = \"cpu\"");
  }
  spec.devices.ids.assign(usable.begin(), usable.begin() + static_cast<std::ptrdiff_t>(wanted));
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
  if (machine.elsewhere) return {};
  const std::int64_t ranks = messages::ranks_of_host(spec, 0).count;
  if (spec.devices.threads == 0) {
    spec.devices.threads = std::max<std::int64_t>(1, machine.cores / ranks);
  }
  const std::int64_t wanted = ranks * spec.devices.threads;
  // Having more ranks than slots is reported by the check of the devices.
  if (wanted > machine.cores && ranks <= machine.cores) {
    warnings.push_back(std::to_string(ranks) + " CPU ranks with " +
                       std::to_string(spec.devices.threads) + " thread(s) each share " +
                       std::to_string(machine.cores) +
                       " core(s): they will wait for each other, and the speedup means little");
  }
  return {};
}

bool auto_takes_gpus(const RunSpec& spec, const Machine& machine) {
  return !spec.devices.ids.empty() ||
         usable_gpus(spec, machine).size() >=
             static_cast<std::size_t>(messages::devices_of_host(spec, 0));
}

Result<void> settle_devices(RunSpec& spec, const Machine& machine,
                            std::vector<std::string>& warnings) {
  if (spec.devices.kind == "auto") {
    spec.devices.kind = auto_takes_gpus(spec, machine) ? "cuda" : "cpu";
  }
  if (spec.devices.kind == "cuda") return settle_gpus(spec, machine);
  return settle_cpu(spec, machine, warnings);
}

// Uses the newest equal run instead of training the baseline again.
void reuse_equal(RunSpec& spec, const Machine& machine, const FindEqual& find_equal, Plan& plan) {
  const auto fits = [&](const EarlierRun& earlier) {
    return equal_baseline(spec, earlier, machine).equal;
  };
  const auto earlier = find_equal ? find_equal(fits) : std::nullopt;
  const bool reuse = spec.baseline.mode == "reuse";
  if (!earlier && reuse) {
    spec.baseline.mode = "run";
    plan.notes.push_back("no finished run equals the baseline, so that is trained first");
  }
  if (!earlier) return;
  const std::string reason = equal_baseline(spec, *earlier, machine).reason;
  if (reuse) {
    spec.baseline.run = earlier->id;
    plan.notes.push_back("the baseline is an earlier run: " + reason);
  } else {
    plan.notes.push_back("the baseline is trained although an equal one is there: " + reason +
                         "; baseline.mode = \"reuse\" uses it");
  }
}

}  // namespace

void keep_source(Plan& plan, const LoadedPreset& preset) {
  if (preset.file.published.source.empty()) return;
  plan.preset_name = preset.name;
  plan.preset_text = preset.text;
}

std::string cpu_fallback(const RunSpec& spec, const Machine& machine) {
  if (spec.devices.kind != "auto" || auto_takes_gpus(spec, machine)) return {};
  const std::string chosen = "devices.kind = \"auto\" takes CPU slots: ";
  if (!machine.gpus.empty()) {
    return chosen + "this machine has " + std::to_string(machine.gpus.size()) +
           (machine.gpus.size() == 1 ? " GPU for " : " GPUs for ") +
           std::to_string(spec.devices.world_size) +
           (spec.devices.world_size == 1 ? " rank" : " ranks") + unusable_text(spec, machine);
  }
  return machine.gpu_expected ? chosen + machine.driver_problem : std::string();
}

double expected_s(const Plan& plan) {
  double sum_s = 0;
  for (const PlannedRun& run : plan.runs) {
    if (run.expected_s <= 0) return 0;
    sum_s += run.expected_s;
  }
  return sum_s;
}

Result<RunSpec> settled(const RunSpec& spec, const Machine& machine) {
  auto whole = with_whole_paths(spec);
  std::vector<std::string> ignored;
  if (!whole) return whole;
  RINGSIDE_TRY(settle_devices(*whole, machine, ignored));
  return whole;
}

Result<Plan> plan_setting(const RunSpec& asked, const Machine& machine,
                          const FindEarlier& find_earlier, const FindEqual& find_equal) {
  RINGSIDE_TRY(messages::validate(asked));
  auto whole = RINGSIDE_TRY(with_whole_paths(asked));
  RunSpec spec = std::move(whole);
  Plan plan;
  plan.fallback = cpu_fallback(asked, machine);
  if (!plan.fallback.empty()) plan.warnings.push_back(plan.fallback);
  if (asked.inject.any()) {
    plan.warnings.push_back("rank " + std::to_string(asked.inject.rank) +
                            " makes a fault on purpose: " + asked.inject.fault);
  }
  RINGSIDE_TRY(settle_devices(spec, machine, plan.warnings));
  const bool one_rank = spec.devices.world_size == 1 && spec.baseline.set.empty();
  const bool named = spec.baseline.mode == "reuse" && !spec.baseline.run.empty();
  if (!named && spec.baseline.mode != "none" && !one_rank)
    reuse_equal(spec, machine, find_equal, plan);
  if (named) {
    const auto earlier = RINGSIDE_TRY(find_earlier(spec.baseline.run));
    if (const std::string why = not_comparable(spec, earlier); !why.empty()) {
      return bad_request("cannot compare with the baseline: " + why +
                         "; use baseline.mode = \"run\" or another run");
    }
    spec.baseline.run = earlier.id;
    const Equality equality = equal_baseline(spec, earlier, machine);
    plan.notes.push_back((equality.equal ? "the baseline is an earlier run: "
                                         : "the baseline did the same work, but ") +
                         equality.reason);
  } else if (spec.baseline.mode == "run" || (spec.baseline.mode == "reuse" && one_rank)) {
    spec.baseline.run.clear();
    if (!one_rank) {
      plan.runs.push_back({baseline_of(spec), true});
    } else {
      spec.baseline.mode = "none";
      plan.warnings.push_back("one rank needs no baseline: this run can be the baseline of others");
    }
  } else if (spec.baseline.mode == "none") {
    spec.baseline.run.clear();
  }
  for (const std::int64_t devices : spec.baseline.also_on) {
    const bool between = devices > 1 && devices < spec.devices.world_size;
    if (between && spec.baseline.mode != "none")
      plan.runs.push_back({on_fewer(spec, devices), false});
  }
  plan.runs.push_back({std::move(spec), false});
  // All runs are checked, so that an invalid run is not noticed only after its baseline was
  // trained.
  for (PlannedRun& run : plan.runs) {
    auto settings = with_whole_paths(std::move(run.spec));  // includes paths in baseline.set
    if (!settings) return pass(settings);
    run.spec = std::move(*settings);
    RINGSIDE_TRY(messages::check_work(run.spec));
  }
  return plan;
}

}  // namespace ringside::launch
