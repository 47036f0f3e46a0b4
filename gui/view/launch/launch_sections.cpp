// The fields of the launch form: every setting, with facts that help to fill it in. Settings that
// few people change are folded away.
#include <algorithm>
#include <array>

#include "gui/launch/preflight/fast.h"
#include "gui/view/launch/launch_parts.h"
#include "gui/view/number_format.h"
#include "protocol/messages/model_catalog.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::view {
namespace {

using messages::Setting;

constexpr const char* kTrainingSection = "Training";

/// A section of the form contains sections of the settings; the longest matching prefix of a key
/// decides.
struct Group {
  const char* title;
  std::vector<std::string_view> holds;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> kGroups = {
      {"Model and data", {"name", "model.", "data."}},
      {kBatchSection, {"batch."}},
      {"Optimizer and schedule", {"optimizer.", "schedule."}},
      {kTrainingSection, {"train."}},
      {kEvaluationSection, {"sampler.", "evaluate."}},
      {"Images",
       {"data.mean", "data.std", "data.resize", "data.crop", "data.flip", "data.on_device"}},
      {"Checkpoint", {"checkpoint."}},
      {"Processes and limits", {"devices.", "limits."}}};
  return kGroups;
}

/// Whether the setting is not a field: device cards, batch table and baselines are drawn elsewhere;
/// custom programs and deliberate faults are set in files only.
bool is_elsewhere(std::string_view key) {
  constexpr std::array kElsewhere = {
      "program.",           "inject.",     "baseline.",  "devices.kind",
      "devices.world_size", "devices.ids", "batch.size", "batch.meaning"};
  return std::ranges::any_of(kElsewhere, [&](const char* begin) { return key.starts_with(begin); });
}

std::size_t group_of(std::string_view key) {
  std::size_t best = 0;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < groups().size(); ++i) {
    for (const std::string_view begin : groups()[i].holds) {
      if (!key.starts_with(begin) || begin.size() <= longest) continue;
      best = i;
      longest = begin.size();
    }
  }
  return best;
}

std::string model_hint(const messages::RunSpec& spec) {
  if (spec.model.name == "none") return "only the samples are drawn";
  const auto parameters = model_parameters(spec);
  if (!parameters) return "";
  const auto count = static_cast<double>(*parameters);
  return (count >= 1e6 ? decimal_text(count / 1e6, 1) + " M" : count_text(*parameters)) +
         " parameters, " + mb_text(static_cast<double>(messages::gradient_bytes(*parameters))) +
         " of gradients";
}

/// Whether a field has its empty value: an empty text or list, or the least number.
bool is_unset(const Setting& setting, const FieldView& field) {
  if (field.kind != FieldKind::kNumber) return field.text.empty();
  return field.text == std::to_string(static_cast<std::int64_t>(setting.field.least));
}

std::string hint_of(const Setting& setting, const FieldView& field, const messages::RunSpec& spec,
                    bool gpus) {
  const std::string& key = setting.key;
  if (key == "name" && spec.name.empty()) return "automatic: " + messages::display_name(spec);
  if (key == "model.name") return model_hint(spec);
  if (key == "data.name") {
    const auto size = dataset_size(spec.data);
    return size ? count_text(size->train) + " train, " + count_text(size->test) + " val" : "";
  }
  if (key == "sampler.set_epoch" && spec.sampler.shuffle && !spec.sampler.set_epoch)
    return "off: the same order each epoch";
  if (setting.field.needs_gpu && field.on && !gpus) return "needs a GPU";
  if (key == "train.precision" && !gpus && spec.train.precision == "tf32") return "needs a GPU";
  if (key == "devices.parallel" && spec.devices.parallel == "dp")
    return "one process for all devices, for comparison";
  if (key == "devices.when_busy" && spec.devices.when_busy == "share")
    return "times say little while two runs share";
  return is_unset(setting, field) ? std::string(setting.field.unset) : "";
}

/// The tooltip: meaning, range, and what the least value means.
std::string tip_of(const messages::Field& field) {
  std::string range = messages::range_text(field);
  if (!range.empty() && !field.unit.empty()) range += " " + std::string(field.unit);
  std::string tip(field.meaning);
  for (const std::string& line : {range, messages::unset_text(field)}) {
    if (!line.empty()) tip += "\n" + line;
  }
  return tip;
}

/// Whether the setting is folded away, as few people change it; nearly all generated data sets stay
/// in the cache folder.
bool is_folded(const Setting& setting, const messages::RunSpec& spec) {
  const bool generated =
      messages::applies(messages::find_setting("data.train_samples")->field, spec);
  return setting.field.advanced || (setting.key == "data.root" && generated);
}

FieldView field_of(const LaunchForm& form, const Setting& setting, bool gpus) {
  const auto facts = field_facts(form.spec(), setting.key);
  FieldView field;
  field.key = setting.key;
  field.label = setting.field.label;
  field.kind = facts->kind;
  field.choices = facts->choices;
  field.text = form.text(setting.key);
  field.on = field.text == "true";
  field.suffix = setting.field.unit;
  field.hint = hint_of(setting, field, form.spec(), gpus);
  field.tip = tip_of(setting.field);
  field.error = form.error(setting.key);
  return field;
}

}  // namespace

FieldView setting_field(const LaunchForm& form, const std::string& key, bool gpus) {
  return field_of(form, *messages::find_setting(key), gpus);
}

void add_fast(const LaunchForm& form, std::span<const CheckView> checks,
              std::vector<FormSection>& sections) {
  const bool offered = std::ranges::any_of(
      checks, [](const CheckView& check) { return check.title == launch::kSpeedTitle; });
  const auto training = std::ranges::find_if(
      sections, [](const auto& section) { return section.title == kTrainingSection; });
  if (!offered || training == sections.end()) return;
  FieldView fast;
  fast.key = kFastKey;
  fast.label = "Fast";
  fast.kind = FieldKind::kSwitch;
  fast.on = launch::is_fast(form.spec());
  fast.text = fast.on ? "true" : "false";
  fast.suffix = "bf16, channels last, cuDNN benchmark";
  fast.tip = std::string(launch::kFastEffect) + "\noff: as the settings were before";
  training->fields.insert(training->fields.begin(), std::move(fast));
}

std::vector<FormSection> form_sections(const LaunchForm& form, bool gpus) {
  std::vector<FormSection> sections(groups().size());
  for (const Setting& setting : messages::settings()) {
    if (is_elsewhere(setting.key) || !messages::applies(setting.field, form.spec())) continue;
    FormSection& section = sections[group_of(setting.key)];
    FieldView field = field_of(form, setting, gpus);
    const bool folded = is_folded(setting, form.spec());
    if (folded) {
      section.changed += field_facts(form.original(), setting.key)->text != field.text ? 1U : 0U;
      section.wrong = section.wrong || !field.error.empty();
    }
    (folded ? section.advanced : section.fields).push_back(std::move(field));
  }
  for (std::size_t i = 0; i < sections.size(); ++i) sections[i].title = groups()[i].title;
  std::erase_if(sections, [](const FormSection& section) {
    return section.fields.empty() && section.advanced.empty();
  });
  return sections;
}

}  // namespace ringside::view
