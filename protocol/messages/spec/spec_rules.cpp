// Rules between fields of a spec, in addition to the range of each field. Independent of this
// machine.
#include <algorithm>
#include <array>
#include <functional>
#include <type_traits>

#include "protocol/base/printable.h"
#include "protocol/messages/data_catalog.h"
#include "protocol/messages/spec/node_ranks.h"
#include "protocol/messages/spec/spec_fields.h"
#include "protocol/messages/spec/spec_problems.h"
#include "protocol/messages/spec/toml_value.h"

namespace ringside::messages {
namespace {

using Problems = std::vector<SpecProblem>;

void check_ranges(const RunSpec& spec, Problems& found) {
  each_setting(spec, [&](const std::string& key, const Field& field, const auto& value) {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      const auto number = static_cast<double>(value);
      if (!has_range(field) || (number >= field.least && number <= field.most)) return;
      found.push_back(
          {{key}, key + " = " + toml_text(value) + " is out of range; use " + range_text(field)});
    }
  });
}

void check_data(const DataSpec& data, Problems& found) {
  if (data.mean.size() != data.std.size()) {
    found.push_back({{"data.mean", "data.std"},
                     "data.mean and data.std must have one number per channel each"});
  }
  if (std::ranges::any_of(data.std, [](double s) { return !(s > 0); })) {
    found.push_back({{"data.std"}, "data.std must be above 0 in every channel"});
  }
  if (data.crop_padding > 0 && data.crop == 0) {
    found.push_back({{"data.crop_padding", "data.crop"},
                     "data.crop_padding needs data.crop, the side of the square to cut out"});
  }
  const DataSetDescriptor* set = find_data_set(data.name);
  const bool own_folder = set != nullptr && set->source == DataSource::kFolder;
  if (own_folder && data.root.empty()) {
    found.push_back(
        {{"data.name", "data.root"},
         "data.name = \"" + data.name + "\" needs data.root, a folder that holds train and test"});
  }
  if (own_folder && data.resize == 0) {
    found.push_back(
        {{"data.name", "data.resize"},
         "data.name = \"" + data.name +
             "\" needs data.resize, the shorter side of every image in pixels: images differ in "
             "size, those of a batch must not"});
  }
}

// Combinations of model, data and evaluation settings.
void check_model(const RunSpec& spec, Problems& found) {
  const DataSetDescriptor* set = find_data_set(spec.data.name);
  if (set != nullptr && !set->has_images() && spec.model.name != "none") {
    found.push_back(
        {{"data.name", "model.name"},
         "data.name = \"" + spec.data.name + "\" holds no images; it needs model.name = \"none\""});
  }
  if (spec.model.name == "none") return;
  if (spec.checkpoint.best && spec.evaluate.mode == "none") {
    found.push_back(
        {{"checkpoint.best", "evaluate.mode"},
         "checkpoint.best is chosen by validation accuracy, and evaluate.mode = \"none\" measures "
         "none"});
  }
  if (spec.evaluate.reload && (spec.evaluate.mode == "none" || spec.checkpoint.every_epochs == 0)) {
    found.push_back({{"evaluate.reload", "evaluate.mode", "checkpoint.every_epochs"},
                     "evaluate.reload evaluates the last checkpoint; it needs an evaluate.mode and "
                     "checkpoint.every_epochs above 0"});
  }
  if (spec.train.epochs == 0 && spec.evaluate.mode == "none") {
    found.push_back({{"train.epochs", "evaluate.mode"},
                     "train.epochs = 0 with evaluate.mode = \"none\" leaves nothing to do"});
  }
  if (spec.train.epochs == 0 && spec.model.init_from.empty() && spec.checkpoint.resume == "none") {
    found.push_back(
        {{"train.epochs", "model.init_from", "checkpoint.resume"},
         "train.epochs = 0 only evaluates and needs weights: name a file in model.init_from or "
         "checkpoint.resume"});
  }
}

void check_training(const RunSpec& spec, Problems& found) {
  if (spec.optimizer.nesterov && (spec.optimizer.name != "sgd" || spec.optimizer.momentum <= 0)) {
    found.push_back(
        {{"optimizer.nesterov", "optimizer.name", "optimizer.momentum"},
         "optimizer.nesterov needs optimizer.name = \"sgd\" and optimizer.momentum above 0"});
  }
  const auto& milestones = spec.schedule.milestones;
  const bool rising =
      std::ranges::adjacent_find(milestones, std::greater_equal<>()) == milestones.end();
  if (!rising || (!milestones.empty() && milestones.front() < 1)) {
    found.push_back({{"schedule.milestones"},
                     "schedule.milestones must be epochs from 1 on, each above the one before"});
  }
  if (spec.schedule.name == "multistep" && milestones.empty()) {
    found.push_back({{"schedule.name", "schedule.milestones"},
                     "schedule.name = \"multistep\" needs schedule.milestones, a list of epochs"});
  }
  if (spec.devices.parallel == "dp" && spec.model.sync_batchnorm) {
    found.push_back(
        {{"model.sync_batchnorm", "devices.parallel"},
         "model.sync_batchnorm works between processes; devices.parallel = \"dp\" has only one"});
  }
  if (spec.devices.parallel == "dp" && spec.train.cuda_graph) {
    found.push_back({{"train.cuda_graph", "devices.parallel"},
                     "train.cuda_graph records the step of one device; devices.parallel = \"dp\" "
                     "computes it on several"});
  }
  if (spec.train.cuda_graph && spec.batch.accumulate > 1) {
    found.push_back({{"train.cuda_graph", "batch.accumulate"},
                     "train.cuda_graph records one exchange per step: use batch.accumulate = 1"});
  }
}

void check_nodes(const RunSpec& spec, Problems& found) {
  const std::int64_t nodes = spec.devices.nodes;
  if (nodes <= 1) return;
  const std::int64_t each = ranks_per_node(spec);
  const std::int64_t world = spec.devices.world_size;
  if (world > nodes * each || world <= (nodes - 1) * each) {
    found.push_back({{"devices.nodes", "devices.ranks_per_node", "devices.world_size"},
                     "devices.world_size = " + std::to_string(world) + " does not fill " +
                         std::to_string(nodes) + " nodes of " + std::to_string(each) +
                         " ranks; every node needs at least one, and none more"});
  }
  if (spec.devices.parallel == "dp") {
    found.push_back({{"devices.nodes", "devices.parallel"},
                     "devices.parallel = \"dp\" is one process; it needs devices.nodes = 1"});
  }
}

void check_baseline(const RunSpec& spec, Problems& found) {
  for (const std::string& assignment : spec.baseline.set) {
    RunSpec baseline = spec;
    const auto done = set_field(baseline, assignment);
    if (done && !assignment.starts_with("baseline.")) continue;
    found.push_back({{"baseline.set"},
                     "baseline.set = \"" + assignment + "\": " +
                         (done ? "a baseline has none of its own" : done.error().message)});
  }
  const auto& also_on = spec.baseline.also_on;
  if (std::ranges::any_of(also_on, [](std::int64_t n) { return n < 1; }))
    found.push_back({{"baseline.also_on"}, "baseline.also_on must be numbers of devices from 1"});
}

void check_fault(const RunSpec& spec, Problems& found) {
  if (!spec.inject.any()) return;
  if (spec.inject.rank >= spec.devices.world_size) {
    found.push_back({{"inject.rank", "devices.world_size"},
                     "inject.rank = " + std::to_string(spec.inject.rank) +
                         " is not a rank of a run of " + std::to_string(spec.devices.world_size)});
  }
  if (spec.inject.every > 0 && (spec.inject.steps == 0 || spec.inject.steps >= spec.inject.every)) {
    found.push_back({{"inject.every", "inject.steps"},
                     "inject.every = " + std::to_string(spec.inject.every) +
                         " needs inject.steps of 1 or more, but fewer than that"});
  }
  if (spec.train.cuda_graph || !spec.program.argv.empty()) {
    found.push_back({{"inject.fault", "train.cuda_graph", "program.argv"},
                     "inject.fault is made by the trainer, step by step: not with "
                     "train.cuda_graph, nor with a program of your own"});
  }
}

// The variables that trainer/agent/processes/spawn_plan.cpp sets. A rank with other values would
// not find the other ranks.
constexpr std::array<std::string_view, 23> kAgentsVariables = {"RANK",
                                                               "LOCAL_RANK",
                                                               "WORLD_SIZE",
                                                               "LOCAL_WORLD_SIZE",
                                                               "GROUP_RANK",
                                                               "MASTER_ADDR",
                                                               "MASTER_PORT",
                                                               "TORCHELASTIC_RUN_ID",
                                                               "TORCHELASTIC_RESTART_COUNT",
                                                               "TORCHELASTIC_MAX_RESTARTS",
                                                               "TORCHELASTIC_ERROR_FILE",
                                                               "OMP_NUM_THREADS",
                                                               "CUDA_VISIBLE_DEVICES",
                                                               "RINGSIDE_GPUS",
                                                               "RINGSIDE_RUN_DIR",
                                                               "RINGSIDE_ATTEMPT",
                                                               "RINGSIDE_NODE",
                                                               "RINGSIDE_RANK",
                                                               "RINGSIDE_LIFELINE_FD",
                                                               "RINGSIDE_LISTEN_FD",
                                                               "RINGSIDE_AGENT",
                                                               "RINGSIDE_INSTRUMENT",
                                                               "RINGSIDE_RANK_LIBRARY"};

/// Text naming the setting to use instead of a variable that the agent sets.
std::string setting_for(std::string_view variable) {
  if (variable == "OMP_NUM_THREADS") return "; set devices.threads";
  if (variable == "CUDA_VISIBLE_DEVICES") return "; set devices.ids";
  if (variable == "WORLD_SIZE" || variable == "LOCAL_WORLD_SIZE") return "; set devices.world_size";
  if (variable == "RINGSIDE_INSTRUMENT") return "; set program.instrument";
  return "; leave it out";
}

void check_started_as(const RunSpec& spec, Problems& found) {
  const std::string as = started_as(spec);
  if (as != "torchrun" && as != "slurm" && as != "script") {
    found.push_back({{"program.environment"},
                     "program.environment: RINGSIDE_AS=" + as +
                         ": a program is started as torchrun, slurm or script"});
  } else if (as != "torchrun" && spec.devices.nodes > 1) {
    found.push_back({{"program.environment", "devices.nodes"},
                     "program.environment: RINGSIDE_AS=" + as + " needs devices.nodes = 1"});
  }
}

void check_environment(const ProgramSpec& program, Problems& found) {
  for (const std::string& entry : program.environment) {
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (equals == entry.npos || equals == 0) {
      found.push_back({{"program.environment"},
                       "program.environment: \"" + entry + "\" is not of the form NAME=value"});
    } else if (std::ranges::find(kAgentsVariables, name) != kAgentsVariables.end()) {
      found.push_back({{"program.environment"},
                       "program.environment: " + name + " is set for each rank by its agent" +
                           setting_for(name)});
    }
  }
}

/// Arguments, paths and words cannot contain NUL; the name of a run is displayed, so it must not
/// contain control characters either.
void check_texts(const RunSpec& spec, Problems& found) {
  const auto check = [&found](const std::string& key, const std::string& text) {
    const bool shown = key == "name";
    const auto at = std::ranges::find_if(text, [shown](char c) {
      const auto byte = static_cast<unsigned char>(c);
      const bool control = byte < 0x20 || byte == 0x7F;
      return byte == 0 || (shown && control && c != '\n' && c != '\t');
    });
    if (at == text.end()) return;
    found.push_back({{key},
                     key + " holds a control character, " +
                         printable_line(std::string_view(&*at, 1)) + "; leave it out"});
  };
  each_setting(spec, [&](const std::string& key, const Field&, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) check(key, value);
    if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      for (const std::string& text : value) check(key, text);
    }
  });
}

}  // namespace

std::vector<SpecProblem> problems(const RunSpec& spec) {
  Problems found;
  check_ranges(spec, found);
  check_texts(spec, found);
  const auto ids = static_cast<std::int64_t>(spec.devices.ids.size());
  if (ids != 0 && ids != spec.devices.world_size) {
    found.push_back(
        {{"devices.ids", "devices.world_size"},
         "devices.ids names " + std::to_string(ids) + " devices for devices.world_size = " +
             std::to_string(spec.devices.world_size) + "; name one device per rank or none"});
  }
  check_data(spec.data, found);
  check_model(spec, found);
  check_training(spec, found);
  check_nodes(spec, found);
  check_baseline(spec, found);
  check_fault(spec, found);
  check_environment(spec.program, found);
  check_started_as(spec, found);
  return found;
}

Result<void> validate(const RunSpec& spec) {
  const Problems found = problems(spec);
  if (!found.empty()) return bad_request(found.front().message);
  return {};
}

}  // namespace ringside::messages
