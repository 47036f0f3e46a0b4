#include "gui/launch/baselines.h"

#include <algorithm>
#include <array>

#include "protocol/base/text.h"
#include "protocol/messages/spec/node_ranks.h"
#include "protocol/messages/spec/settings.h"
#include "protocol/messages/spec/shown_program.h"

namespace ringside::launch {
namespace {

using messages::RunSpec;

// Whether a setting is part of the work that a run and its baseline must have in common.
bool is_work(const std::string& key, bool script) {
  // A custom program gets no other settings.
  if (script) return key.starts_with("program.");
  static const std::array<std::string, 6> kFree = {"name",        "devices.", "baseline.",
                                                   "checkpoint.", "limits.",  "data.workers"};
  return std::none_of(kFree.begin(), kFree.end(),
                      [&](const auto& free) { return key.starts_with(free); });
}

std::size_t work_settings() {
  const auto& all = messages::settings();
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [](const auto& one) { return is_work(one.key, false); }));
}

// Settings in which the runs differ. On one device, settings that only share out work between ranks
// are ignored.
std::vector<messages::FieldDifference> telling_differences(const RunSpec& wanted,
                                                           const RunSpec& earlier) {
  // Compared in the form in which specs are stored, without secrets.
  RunSpec stored = wanted;
  stored.program = messages::without_secrets(wanted.program);
  auto found = messages::differences(stored, earlier);
  const bool alone = wanted.devices.world_size == 1 && earlier.devices.world_size == 1;
  std::erase_if(found, [&](const messages::FieldDifference& one) {
    return alone && messages::is_sharing(one.key, wanted, earlier);
  });
  return found;
}

// The differences, such as "train.epochs = 3 here, 99 there"; empty: the same work.
std::string other_work(const RunSpec& wanted, const RunSpec& earlier) {
  std::string differing;
  const bool script = !wanted.program.argv.empty() && !earlier.program.argv.empty();
  for (const auto& difference : telling_differences(wanted, earlier)) {
    if (!is_work(difference.key, script)) continue;
    add_listed(differing,
               difference.key + " = " + difference.left + " here, " + difference.right + " there");
  }
  return differing;
}

// Whether the setting affects neither the work nor the time of a run.
bool is_free_in_repeats(const std::string& key) {
  static const std::array<std::string, 8> kFree = {"name",
                                                   "baseline.",
                                                   "limits.",
                                                   "devices.ids",
                                                   "devices.when_busy",
                                                   "checkpoint.keep",
                                                   "checkpoint.naming",
                                                   "checkpoint.resume"};
  return std::any_of(kFree.begin(), kFree.end(),
                     [&](const auto& free) { return key.starts_with(free); });
}

// The name of the GPU that a run computed on; its UUID if this machine does not have it.
std::string gpu_of(const RunSpec& spec, const Machine& machine) {
  if (spec.devices.ids.empty()) return "a GPU that is not named";
  for (const Gpu& gpu : machine.gpus) {
    if (gpu.uuid == spec.devices.ids.front()) return gpu.name;
  }
  return spec.devices.ids.front();
}

std::string device_text(const RunSpec& spec, const Machine& machine) {
  const std::int64_t devices = spec.devices.world_size;
  const std::string count = std::to_string(devices);
  if (spec.devices.kind == "cuda")
    return (devices == 1 ? "one " : count + " times ") + gpu_of(spec, machine);
  return count + (devices == 1 ? " CPU slot, " : " CPU slots, ") +
         std::to_string(spec.devices.threads) +
         (spec.devices.threads == 1 ? " thread" : " threads");
}

}  // namespace

RunSpec on_fewer(const RunSpec& spec, std::int64_t devices) {
  RunSpec fewer = spec;
  messages::set_world_size(fewer, devices);
  if (!fewer.devices.ids.empty()) fewer.devices.ids.resize(static_cast<std::size_t>(devices));
  // The baseline of weak scaling takes that many times more steps, so that both see the same
  // samples.
  if (spec.batch.meaning == "per_rank")
    fewer.train.max_steps = spec.train.max_steps * spec.devices.world_size / devices;
  fewer.baseline.also_on.clear();
  return fewer;
}

RunSpec baseline_of(const RunSpec& spec) {
  RunSpec baseline = spec;
  if (spec.baseline.set.empty()) {
    baseline = on_fewer(spec, 1);
    baseline.devices.parallel = "ddp";
  }
  baseline.name = messages::display_name(spec) + " · baseline";
  for (const std::string& assignment : spec.baseline.set) {
    (void)messages::set_field(baseline, assignment);  // cannot fail, as the whole spec is valid
    baseline.name += " " + assignment;
  }
  baseline.limits.crash_step = 0;
  baseline.inject = {};
  baseline.baseline = {};
  return baseline;
}

std::string not_comparable(const RunSpec& spec, const EarlierRun& earlier) {
  if (!earlier.finished) return "run " + earlier.id + " did not finish";
  const bool made = earlier.spec.devices.world_size == 1 || !spec.baseline.set.empty();
  const std::string differing = other_work(made ? baseline_of(spec) : spec, earlier.spec);
  return differing.empty() ? "" : "run " + earlier.id + " did other work: " + differing;
}

std::string not_a_repeat(const RunSpec& spec, const EarlierRun& earlier, const Machine& machine) {
  if (!earlier.finished) return "run " + earlier.id + " did not finish";
  for (const auto& one : telling_differences(spec, earlier.spec)) {
    if (!is_free_in_repeats(one.key))
      return "run " + earlier.id + " has " + one.key + " = " + one.right + ", not " + one.left;
  }
  const std::string here = device_text(spec, machine);
  const std::string there = device_text(earlier.spec, machine);
  return here == there ? "" : "run " + earlier.id + " computed on " + there + ", not on " + here;
}

Equality equal_baseline(const RunSpec& spec, const EarlierRun& earlier, const Machine& machine) {
  const RunSpec wanted = baseline_of(spec);
  if (earlier.spec.devices.world_size != wanted.devices.world_size) {
    const std::int64_t ranks = wanted.devices.world_size;
    return {false,
            "run " + earlier.id + " has " + std::to_string(earlier.spec.devices.world_size) +
                " ranks, a baseline has " + (ranks == 1 ? "one" : std::to_string(ranks)),
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
  if (!spec.program.argv.empty()) {
    return {true,
            "run " + earlier.id + " finished, on " + here +
                " as the baseline would, with the same command, folder, environment and "
                "instrumentation; whether its work was the same is judged from its records",
            "same command, " + here};
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
