// What a spec's numbers may be and which fields must agree; nothing of this machine is asked.
#include <algorithm>
#include <functional>
#include <sstream>

#include "protocol/messages/run_spec.h"

namespace ringside::messages {
namespace {

struct Bound {
  std::string_view key;
  double value;
  double least;
  double most;
};

Result<void> check_bounds(const std::vector<Bound>& bounds) {
  for (const auto& bound : bounds) {
    if (bound.value >= bound.least && bound.value <= bound.most) continue;
    std::ostringstream text;
    text << bound.key << " = " << bound.value << " is out of range; use " << bound.least << " to "
         << bound.most;
    return bad_request(text.str());
  }
  return {};
}

double number(std::int64_t value) { return static_cast<double>(value); }

Result<void> check_numbers(const RunSpec& spec) {
  constexpr double kMany = 1e9;
  return check_bounds({
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
  });
}

Result<void> check_data(const DataSpec& data) {
  if (data.mean.size() != data.std.size()) {
    return bad_request("data.mean and data.std must have one number per channel each");
  }
  if (std::any_of(data.std.begin(), data.std.end(), [](double s) { return !(s > 0); })) {
    return bad_request("data.std must be above 0 in every channel");
  }
  if (data.crop_padding > 0 && data.crop == 0) {
    return bad_request("data.crop_padding needs data.crop, the side of the square to cut out");
  }
  if (data.name == "image_folder" && data.root.empty()) {
    return bad_request(
        "data.name = \"image_folder\" needs data.root, a folder that holds train and test");
  }
  if (data.name == "image_folder" && data.resize == 0) {
    return bad_request(
        "data.name = \"image_folder\" needs data.resize, the shorter side of every picture in "
        "pixels: pictures differ in size, those of a batch must not");
  }
  return {};
}

// What can be trained, or left out, together.
Result<void> check_model(const RunSpec& spec) {
  if (spec.data.name == "integers" && spec.model.name != "none") {
    return bad_request("data.name = \"integers\" holds no images; it needs model.name = \"none\"");
  }
  if (spec.model.name == "none") return {};
  if (spec.checkpoint.best && spec.evaluate.mode == "none") {
    return bad_request(
        "checkpoint.best goes by the validation accuracy, and evaluate.mode = \"none\" measures "
        "none");
  }
  if (spec.train.epochs == 0 && spec.evaluate.mode == "none") {
    return bad_request("train.epochs = 0 with evaluate.mode = \"none\" leaves nothing to do");
  }
  if (spec.train.epochs == 0 && spec.model.init_from.empty() && spec.checkpoint.resume == "none") {
    return bad_request(
        "train.epochs = 0 only evaluates and needs weights: name a file in model.init_from or "
        "checkpoint.resume");
  }
  return {};
}

Result<void> check_training(const RunSpec& spec) {
  if (spec.optimizer.nesterov && (spec.optimizer.name != "sgd" || spec.optimizer.momentum <= 0)) {
    return bad_request(
        "optimizer.nesterov needs optimizer.name = \"sgd\" and optimizer.momentum above 0");
  }
  const auto& milestones = spec.schedule.milestones;
  const bool rising = std::adjacent_find(milestones.begin(), milestones.end(),
                                         std::greater_equal<>()) == milestones.end();
  if (!rising || (!milestones.empty() && milestones.front() < 1)) {
    return bad_request("schedule.milestones must be epochs from 1 on, each above the one before");
  }
  if (spec.schedule.name == "multistep" && milestones.empty()) {
    return bad_request("schedule.name = \"multistep\" needs schedule.milestones, a list of epochs");
  }
  if (spec.devices.parallel == "dp" && spec.model.sync_batchnorm) {
    return bad_request(
        "model.sync_batchnorm works between processes; devices.parallel = \"dp\" has only one");
  }
  if (spec.devices.parallel == "dp" && spec.train.cuda_graph) {
    return bad_request(
        "train.cuda_graph records the step of one device; devices.parallel = \"dp\" computes it on "
        "several");
  }
  if (spec.train.cuda_graph && spec.batch.accumulate > 1) {
    return bad_request("train.cuda_graph records one exchange per step: use batch.accumulate = 1");
  }
  return {};
}

}  // namespace

Result<void> validate(const RunSpec& spec) {
  if (auto numbers = check_numbers(spec); !numbers) return numbers;
  const auto ids = static_cast<std::int64_t>(spec.devices.ids.size());
  if (ids != 0 && ids != spec.devices.world_size) {
    return bad_request(
        "devices.ids names " + std::to_string(ids) + " devices for devices.world_size = " +
        std::to_string(spec.devices.world_size) + "; name one device per rank or none");
  }
  if (auto data = check_data(spec.data); !data) return data;
  if (auto model = check_model(spec); !model) return model;
  if (auto training = check_training(spec); !training) return training;
  return {};
}

}  // namespace ringside::messages
