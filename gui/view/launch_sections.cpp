// The fields of the launch form, in the order in which they stand, with the facts that help to fill
// them.
#include "gui/view/launch_parts.h"
#include "gui/view/number_format.h"

namespace ringside::view {
namespace {

struct Row {
  const char* section;
  const char* key;
  const char* label;
  const char* suffix;
};

constexpr Row kRows[] = {
    {"What", "name", "Name", ""},
    {"What", "model.name", "Model", ""},
    {"What", "model.stem", "Stem", ""},
    {"What", "data.name", "Dataset", ""},
    {"What", "data.train_samples", "Train samples", "generated"},
    {"What", "data.root", "Data folder", ""},
    {"What", "data.workers", "Loader workers", "per rank"},
    {"Learning rate", "optimizer.lr", "Base rate", ""},
    {"Learning rate", "optimizer.momentum", "Momentum", ""},
    {"Learning rate", "optimizer.weight_decay", "Weight decay", ""},
    {"Learning rate", "schedule.name", "Schedule", ""},
    {"Learning rate", "schedule.step_epochs", "Drop every", "epochs"},
    {"Learning rate", "schedule.gamma", "Drop times", ""},
    {"Training", "train.epochs", "Epochs", ""},
    {"Training", "train.seed", "Seed", ""},
    {"Training", "train.precision", "Precision", ""},
    {"Training", "train.max_steps", "Step limit", "0 = none"},
    {"Sampler and evaluation", "sampler.shuffle", "Shuffle", ""},
    {"Sampler and evaluation", "sampler.set_epoch", "New order each epoch", "set_epoch"},
    {"Sampler and evaluation", "sampler.padding", "Uneven tail", ""},
    {"Sampler and evaluation", "evaluate.mode", "Evaluation", ""},
    {"Checkpoints", "checkpoint.every_epochs", "Every", "epochs"},
    {"Checkpoints", "checkpoint.keep", "Keep", "0 = all"},
};

std::string hint_of(const std::string& key, const messages::RunSpec& spec) {
  if (key == "name" && spec.name.empty()) return "automatic: " + messages::display_name(spec);
  if (key == "model.name") {
    const auto parameters = model_parameters(spec.model);
    if (!parameters) return "";
    const auto count = static_cast<double>(*parameters);
    return (count >= 1e6 ? decimal_text(count / 1e6, 1) + " M" : count_text(*parameters)) +
           " parameters, " + mb_text(count * 4) + " of gradients";
  }
  if (key == "data.name") {
    const auto size = dataset_size(spec.data);
    return size ? count_text(size->train) + " train, " + count_text(size->test) + " val" : "";
  }
  if (key == "sampler.set_epoch" && spec.sampler.shuffle && !spec.sampler.set_epoch)
    return "off: the same order each epoch";
  if (key == "data.root" && spec.data.root.empty()) return "the cache folder";
  return "";
}

/// A field that has no say with the other settings is left out.
bool applies(const std::string& key, const messages::RunSpec& spec) {
  const bool generated = spec.data.name == "digits" || spec.data.name == "shapes";
  if (key == "data.train_samples") return generated;
  if (key == "data.root") return !generated;
  if (key == "model.stem") return spec.model.name != "convnet";
  if (key == "schedule.step_epochs" || key == "schedule.gamma") return spec.schedule.name == "step";
  return true;
}

}  // namespace

std::vector<FormSection> form_sections(const LaunchForm& form) {
  std::vector<FormSection> sections;
  for (const Row& row : kRows) {
    const auto facts = field_facts(form.spec(), row.key);
    if (!facts || !applies(row.key, form.spec())) continue;
    if (sections.empty() || sections.back().title != row.section)
      sections.push_back({row.section, {}});
    FieldView field;
    field.key = row.key;
    field.label = row.label;
    field.kind = facts->kind;
    field.choices = facts->choices;
    field.text = form.text(row.key);
    field.on = field.text == "true";
    field.suffix = row.suffix;
    field.hint = hint_of(row.key, form.spec());
    field.error = form.error(row.key);
    sections.back().fields.push_back(std::move(field));
  }
  return sections;
}

}  // namespace ringside::view
