// The fields of the launch form, in the order in which they stand, with the facts that help to fill
// them. What few people change is folded away.
#include <cmath>

#include "gui/view/launch/launch_parts.h"
#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

struct Row {
  const char* section = "";
  const char* key = "";
  const char* label = "";
  const char* suffix = "";
  bool advanced = false;
};

constexpr bool kAdvanced = true;

constexpr Row kRows[] = {
    {"What", "name", "Name"},
    {"What", "model.name", "Model"},
    {"What", "model.stem", "Stem"},
    {"What", "data.name", "Dataset"},
    {"What", "data.train_samples", "Train samples", "generated"},
    {"What", "data.root", "Data folder"},
    {"What", "data.workers", "Loader workers", "per rank", kAdvanced},
    {"What", "model.classes", "Classes", "", kAdvanced},
    {"What", "data.test_samples", "Test samples", "generated", kAdvanced},
    {"What", "data.seed", "Data seed", "generated", kAdvanced},
    {"What", "model.init_from", "Start from", "weights", kAdvanced},
    {"What", "model.sync_batchnorm", "Batch norm over all ranks", "", kAdvanced},
    {"Batch", "batch.accumulate", "Cut into", "parts", kAdvanced},
    {"Batch", "batch.drop_last", "Drop the short last batch", "", kAdvanced},
    {"Learning rate", "optimizer.name", "Optimizer"},
    {"Learning rate", "optimizer.lr", "Base rate"},
    {"Learning rate", "optimizer.momentum", "Momentum"},
    {"Learning rate", "optimizer.weight_decay", "Weight decay"},
    {"Learning rate", "optimizer.lr_rule", "Scale the rate", ""},
    {"Learning rate", "optimizer.lr_batch", "Rate is for", "global batch", kAdvanced},
    {"Learning rate", "optimizer.nesterov", "Nesterov momentum", "", kAdvanced},
    {"Learning rate", "optimizer.beta1", "Beta 1", "", kAdvanced},
    {"Learning rate", "optimizer.beta2", "Beta 2", "", kAdvanced},
    {"Learning rate", "optimizer.eps", "Epsilon", "", kAdvanced},
    {"Learning rate", "schedule.name", "Schedule"},
    {"Learning rate", "schedule.step_epochs", "Drop every", "epochs"},
    {"Learning rate", "schedule.milestones", "Drop after", "epochs"},
    {"Learning rate", "schedule.gamma", "Drop times"},
    {"Learning rate", "schedule.min_lr", "Down to"},
    {"Learning rate", "schedule.rise", "Rise during", "of all steps"},
    {"Learning rate", "schedule.div_factor", "Start at", "1 / this", kAdvanced},
    {"Learning rate", "schedule.final_div_factor", "End at", "start / this", kAdvanced},
    {"Learning rate", "schedule.warmup_steps", "Warm-up", "steps"},
    {"Learning rate", "schedule.warmup_factor", "Warm-up from", "of the rate", kAdvanced},
    {"Training", "train.epochs", "Epochs"},
    {"Training", "train.seed", "Seed"},
    {"Training", "train.precision", "Precision"},
    {"Training", "train.max_steps", "Step limit", "0 = none"},
    {"Training", "train.deterministic", "Deterministic", "", kAdvanced},
    {"Training", "train.channels_last", "Channels last", "", kAdvanced},
    {"Training", "train.cudnn_benchmark", "Try convolutions", "cuDNN", kAdvanced},
    {"Training", "train.cuda_graph", "Replay the step", "CUDA graph", kAdvanced},
    {"Sampler and evaluation", "sampler.shuffle", "Shuffle"},
    {"Sampler and evaluation", "sampler.set_epoch", "New order each epoch", "set_epoch"},
    {"Sampler and evaluation", "sampler.padding", "Uneven tail"},
    {"Sampler and evaluation", "evaluate.mode", "Evaluation"},
    {"Sampler and evaluation", "evaluate.every_epochs", "Every", "epochs", kAdvanced},
    {"Sampler and evaluation", "sampler.seed", "Order seed", "−1 = seed", kAdvanced},
    {"Images", "data.resize", "Resize to", "0 = as is", kAdvanced},
    {"Images", "data.crop", "Random crop", "0 = none", kAdvanced},
    {"Images", "data.crop_padding", "Pad by", "pixels", kAdvanced},
    {"Images", "data.flip", "Random flip", "", kAdvanced},
    {"Images", "data.mean", "Mean", "per channel", kAdvanced},
    {"Images", "data.std", "Deviation", "per channel", kAdvanced},
    {"Images", "data.on_device", "Keep the set in GPU memory", "", kAdvanced},
    {"Checkpoints", "checkpoint.every_epochs", "Every", "epochs"},
    {"Checkpoints", "checkpoint.keep", "Keep", "0 = all"},
    {"Checkpoints", "checkpoint.best", "Keep the best as well", "", kAdvanced},
    {"Checkpoints", "checkpoint.every_steps", "Every", "steps", kAdvanced},
    {"Checkpoints", "checkpoint.naming", "File names", "", kAdvanced},
    {"Checkpoints", "checkpoint.resume", "Resume", "none, auto, path", kAdvanced},
    {"Processes and limits", "devices.threads", "Threads", "0 = share", kAdvanced},
    {"Processes and limits", "limits.restarts", "Restarts", "", kAdvanced},
    {"Processes and limits", "limits.stall_s", "Stalled after", "s", kAdvanced},
    {"Processes and limits", "limits.collective_timeout_s", "Exchange limit", "s", kAdvanced},
    {"Processes and limits", "limits.grace_s", "Kill after", "s", kAdvanced},
    {"Processes and limits", "devices.parallel", "Processes", "", kAdvanced},
    {"Processes and limits", "devices.when_busy", "Busy devices", "", kAdvanced},
};

std::string model_hint(const messages::RunSpec& spec) {
  if (spec.model.name == "none") return "only the samples are drawn";
  const auto parameters = model_parameters(spec);
  if (!parameters) return "";
  const auto count = static_cast<double>(*parameters);
  return (count >= 1e6 ? decimal_text(count / 1e6, 1) + " M" : count_text(*parameters)) +
         " parameters, " + mb_text(static_cast<double>(messages::gradient_bytes(*parameters))) +
         " of gradients";
}

bool needs_gpu(const std::string& key) {
  return key == "data.on_device" || key == "train.cudnn_benchmark" || key == "train.cuda_graph";
}

std::string hint_of(const std::string& key, const messages::RunSpec& spec, bool on, bool gpus) {
  if (key == "name" && spec.name.empty()) return "automatic: " + messages::display_name(spec);
  if (key == "model.name") return model_hint(spec);
  if (key == "data.name") {
    const auto size = dataset_size(spec.data);
    return size ? count_text(size->train) + " train, " + count_text(size->test) + " val" : "";
  }
  if (key == "sampler.set_epoch" && spec.sampler.shuffle && !spec.sampler.set_epoch)
    return "off: the same order each epoch";
  if (key == "data.root" && spec.data.root.empty()) return "the cache folder";
  if (key == "data.mean" && spec.data.mean.empty()) return "the set's own";
  if (key == "data.std" && spec.data.std.empty()) return "the set's own";
  if (key == "model.init_from" && spec.model.init_from.empty()) return "random weights";
  if (needs_gpu(key) && on && !gpus) return "needs a GPU";
  if (key == "train.precision" && !gpus && spec.train.precision == "tf32") return "needs a GPU";
  if (key == "devices.parallel" && spec.devices.parallel == "dp")
    return "one process for all devices, for comparison";
  if (key == "devices.when_busy" && spec.devices.when_busy == "share")
    return "times say little while two runs share";
  return "";
}

bool drops(const std::string& schedule) { return schedule == "step" || schedule == "multistep"; }

/// A field of the optimizer or the schedule that has no say with the chosen one is left out.
bool rate_applies(const std::string& key, const messages::RunSpec& spec) {
  const bool sgd = spec.optimizer.name == "sgd";
  const std::string& schedule = spec.schedule.name;
  if (key == "optimizer.momentum" || key == "optimizer.nesterov") return sgd;
  if (key == "optimizer.beta1" || key == "optimizer.beta2" || key == "optimizer.eps") return !sgd;
  if (key == "optimizer.lr_batch") return spec.optimizer.lr_rule != "none";
  if (key == "schedule.step_epochs") return schedule == "step";
  if (key == "schedule.milestones") return schedule == "multistep";
  if (key == "schedule.gamma") return drops(schedule);
  if (key == "schedule.min_lr") return schedule == "cosine";
  if (key == "schedule.rise" || key.ends_with("div_factor")) return schedule == "onecycle";
  if (key == "schedule.warmup_factor") return spec.schedule.warmup_steps > 0;
  return true;
}

bool applies(const std::string& key, const messages::RunSpec& spec) {
  const std::string& data = spec.data.name;
  const auto* set = messages::find_data_set(data);
  const bool integers = set != nullptr && !set->has_images();
  const bool generated = set != nullptr && set->sized_by_spec();
  const auto* model = messages::find_model(spec.model.name);
  const bool residual = model != nullptr && model->residual;
  if (key == "data.train_samples" || key == "data.test_samples" || key == "data.seed")
    return generated;
  if (key == "data.root") return !generated;
  if (key == "data.crop_padding") return spec.data.crop > 0;
  if (key.starts_with("data.") && key != "data.name" && key != "data.workers") return !integers;
  if (key == "model.stem") return residual;
  if (key == "model.sync_batchnorm") return residual && spec.devices.world_size > 1;
  return rate_applies(key, spec);
}

FieldView field_of(const LaunchForm& form, const Row& row, const FieldFacts& facts, bool gpus) {
  FieldView field;
  field.key = row.key;
  field.label = row.label;
  field.kind = facts.kind;
  field.choices = facts.choices;
  field.text = form.text(row.key);
  field.on = field.text == "true";
  field.suffix = row.suffix;
  field.hint = hint_of(row.key, form.spec(), field.on, gpus);
  field.error = form.error(row.key);
  return field;
}

}  // namespace

std::vector<FormSection> form_sections(const LaunchForm& form, bool gpus) {
  std::vector<FormSection> sections;
  for (const Row& row : kRows) {
    const auto facts = field_facts(form.spec(), row.key);
    if (!facts || !applies(row.key, form.spec())) continue;
    if (sections.empty() || sections.back().title != row.section) {
      sections.emplace_back();
      sections.back().title = row.section;
    }
    FormSection& section = sections.back();
    FieldView field = field_of(form, row, *facts, gpus);
    if (row.advanced) {
      const auto original = field_facts(form.original(), row.key);
      section.changed += original && original->text != field.text ? 1U : 0U;
      section.wrong = section.wrong || !field.error.empty();
    }
    (row.advanced ? section.advanced : section.fields).push_back(std::move(field));
  }
  return sections;
}

}  // namespace ringside::view
