// Ranges of a spec's numbers and which fields must agree; independent of this machine.
#include <algorithm>
#include <functional>
#include <sstream>

#include "protocol/messages/spec_problems.h"

namespace ringside::messages {
namespace {

using Problems = std::vector<SpecProblem>;

struct Bound {
  std::string_view key;
  double value;
  double least;
  double most;
};

void check_bounds(const std::vector<Bound>& bounds, Problems& found) {
  for (const auto& bound : bounds) {
    if (bound.value >= bound.least && bound.value <= bound.most) continue;
    std::ostringstream text;
    text << bound.key << " = " << bound.value << " is out of range; use " << bound.least << " to "
         << bound.most;
    found.push_back({{std::string(bound.key)}, text.str()});
  }
}

double number(std::int64_t value) { return static_cast<double>(value); }

void check_numbers(const RunSpec& spec, Problems& found) {
  constexpr double kMany = 1e9;
  check_bounds(
      {
          {"devices.world_size", number(spec.devices.world_size), 1, 4096},
          {"devices.threads", number(spec.devices.threads), 0, 4096},
          {"model.classes", number(spec.model.classes), 2, 100000},
          {"data.train_samples", number(spec.data.train_samples), 1, 10e6},
          {"data.test_samples", number(spec.data.test_samples), 1, 10e6},
          {"data.workers", number(spec.data.workers), 0, 64},
          {"data.resize", number(spec.data.resize), 0, 4096},
          {"data.crop", number(spec.data.crop), 0, 4096},
          {"data.crop_padding", number(spec.data.crop_padding), 0, 1024},
          {"batch.size", number(spec.batch.size), 1, 1e6},
          {"batch.accumulate", number(spec.batch.accumulate), 1, 1e4},
          {"train.epochs", number(spec.train.epochs), 0, 1e6},
          {"train.seed", number(spec.train.seed), 0, 9007199254740992.0},
          {"train.max_steps", number(spec.train.max_steps), 0, kMany},
          {"optimizer.lr", spec.optimizer.lr, 0, 1e6},
          {"optimizer.momentum", spec.optimizer.momentum, 0, 1},
          {"optimizer.weight_decay", spec.optimizer.weight_decay, 0, 1e3},
          {"optimizer.beta1", spec.optimizer.beta1, 0, 0.999999},
          {"optimizer.beta2", spec.optimizer.beta2, 0, 0.999999999},
          {"optimizer.eps", spec.optimizer.eps, 0, 1},
          {"optimizer.lr_batch", number(spec.optimizer.lr_batch), 0, kMany},
          {"schedule.step_epochs", number(spec.schedule.step_epochs), 1, kMany},
          {"schedule.gamma", spec.schedule.gamma, 0, 1e3},
          {"schedule.min_lr", spec.schedule.min_lr, 0, 1e6},
          {"schedule.rise", spec.schedule.rise, 0, 1},
          {"schedule.div_factor", spec.schedule.div_factor, 1, kMany},
          {"schedule.final_div_factor", spec.schedule.final_div_factor, 1, 1e12},
          {"schedule.warmup_steps", number(spec.schedule.warmup_steps), 0, kMany},
          {"schedule.warmup_factor", spec.schedule.warmup_factor, 0, 1},
          {"sampler.seed", number(spec.sampler.seed), -1, 9007199254740992.0},
          {"evaluate.every_epochs", number(spec.evaluate.every_epochs), 1, kMany},
          {"checkpoint.every_epochs", number(spec.checkpoint.every_epochs), 0, kMany},
          {"checkpoint.every_steps", number(spec.checkpoint.every_steps), 0, kMany},
          {"checkpoint.keep", number(spec.checkpoint.keep), 0, kMany},
          {"limits.restarts", number(spec.limits.restarts), 0, 1000},
          {"limits.grace_s", spec.limits.grace_s, 0.1, 3600},
          {"limits.stall_s", spec.limits.stall_s, 1, 86400},
          {"limits.collective_timeout_s", spec.limits.collective_timeout_s, 1, 86400},
      },
      found);
}

void check_data(const DataSpec& data, Problems& found) {
  if (data.mean.size() != data.std.size()) {
    found.push_back({{"data.mean", "data.std"},
                     "data.mean and data.std must have one number per channel each"});
  }
  if (std::any_of(data.std.begin(), data.std.end(), [](double s) { return !(s > 0); })) {
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

// What can be trained, or left out, together.
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
         "checkpoint.best goes by the validation accuracy, and evaluate.mode = \"none\" measures "
         "none"});
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
  const bool rising = std::adjacent_find(milestones.begin(), milestones.end(),
                                         std::greater_equal<>()) == milestones.end();
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

}  // namespace

std::vector<SpecProblem> problems(const RunSpec& spec) {
  Problems found;
  check_numbers(spec, found);
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
  return found;
}

Result<void> validate(const RunSpec& spec) {
  const Problems found = problems(spec);
  if (!found.empty()) return bad_request(found.front().message);
  return {};
}

}  // namespace ringside::messages
