#include "gui/view/launch/slurm_form.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "gui/view/number_format.h"
#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

constexpr const char* kWhereKey = "slurm.where";
constexpr const char* kNodesField = "slurm.nodes";
constexpr const char* kGpus = "slurm.gpus_per_node";
constexpr const char* kMore = "slurm.sbatch";
constexpr const char* kNodesLabel = "Nodes";
constexpr const char* kGpusLabel = "GPUs per node";
constexpr const char* kMoreLabel = "More options";

std::string key_of(const slurm::TextOption& one) { return "slurm." + std::string(one.name); }

/// Nothing where it is not a number from 0; an empty text is 0.
std::optional<std::int64_t> count_of(const std::string& text) {
  if (text.empty()) return 0;
  const auto count = whole_number(text);
  return count && *count >= 0 ? count : std::nullopt;
}

std::string count_error(const std::string& text) {
  return count_of(text) ? "" : "Write a whole number.";
}

/// `empty`: what an empty field means, which stands in it.
FieldView field(std::string key, const char* label, FieldKind kind, std::string text,
                std::string empty, const char* tip) {
  FieldView view;
  view.key = std::move(key);
  view.label = label;
  view.kind = kind;
  if (text.empty()) view.hint = std::move(empty);
  view.text = std::move(text);
  view.tip = tip;
  return view;
}

std::string blocked_by(const Result<slurm::Options>& asked, const LaunchForm& settings,
                       const LaunchView& view, bool busy) {
  if (busy) return "Slurm is being asked.";
  if (!view.script.missing.empty()) return view.script.missing;
  if (settings.errors() > 0) return label::kBadFields;
  if (settings.problems() > 0) return settings.invalid();
  if (!asked) return asked.error().message;
  for (const CheckView& check : view.checks) {
    if (check.state == CheckState::kFail) return check.title + ": " + check.detail;
  }
  return {};
}

}  // namespace

bool SlurmForm::asks_for_machine(const EditField& edit) {
  return edit.key == kWhereKey && edit.text == label::kAnotherMachine;
}

void SlurmForm::edit(const std::string& key, const std::string& text) {
  if (key == kWhereKey) {
    on_ = text != machine_;
  } else {
    typed_[key] = text;
  }
}

void SlurmForm::set_allocation(std::optional<slurm::Allocation> allocation) {
  const bool silent = allocation && !allocation->gpus_unknown.empty();
  if (silent && allocation_ && allocation_->gpus_unknown.empty()) return;
  allocation_ = std::move(allocation);
}

void SlurmForm::set_options(const slurm::Options& options) {
  on_ = true;
  for (const slurm::TextOption& one : slurm::kTextOptions) typed_[key_of(one)] = options.*one.value;
  const auto count = [this](const char* key, std::int64_t value) {
    typed_[key] = value > 0 ? std::to_string(value) : "";
  };
  count(kNodesField, options.nodes);
  count(kGpus, options.gpus_per_node);
  typed_[kMore] = shell_words(options.more);
}

std::string SlurmForm::text(const std::string& key) const {
  const auto found = typed_.find(key);
  return found == typed_.end() ? std::string() : found->second;
}

std::string SlurmForm::place() const {
  return allocation_ ? slurm::name_of(*allocation_) : label::kSlurm;
}

std::optional<slurm::Options> SlurmForm::typed() const {
  if (!on_) return std::nullopt;
  slurm::Options options;
  for (const slurm::TextOption& one : slurm::kTextOptions) options.*one.value = text(key_of(one));
  options.nodes = count_of(text(kNodesField)).value_or(0);
  options.gpus_per_node = count_of(text(kGpus)).value_or(0);
  options.more = split_words(text(kMore)).value_or(std::vector<std::string>());
  return options;
}

Result<slurm::Options> SlurmForm::asked(const std::string& kind) const {
  for (const auto& [key, label] :
       {std::pair(kNodesField, kNodesLabel), std::pair(kGpus, kGpusLabel)}) {
    if (!count_of(text(key)))
      return bad_request(std::string(label) + ": \"" + text(key) + "\" is not a whole number");
  }
  if (const auto more = split_words(text(kMore)); !more)
    return bad_request(std::string(kMoreLabel) + ": " + more.error().message);
  slurm::Options options = typed().value_or(slurm::Options());
  RINGSIDE_TRY(slurm::check_options(options));
  return allocation_ ? slurm::within(*allocation_, options, kind) : options;
}

std::vector<std::string> SlurmForm::words() const {
  const auto options = typed();
  return options ? slurm::command_words(*options) : std::vector<std::string>();
}

FieldView SlurmForm::choice(bool with_machines) const {
  FieldView where =
      field(kWhereKey, "Start on", FieldKind::kChoice, on_ ? place() : machine_, "", "");
  where.choices = {machine_, place()};
  if (with_machines) where.choices.insert(where.choices.begin() + 1, label::kAnotherMachine);
  if (!allocation_) return where;
  where.hint = (on_ ? "" : "inside " + place() + ", ") + slurm::nodes_of(*allocation_);
  where.tip = "This window was started inside an allocation; a run is a step of it";
  return where;
}

FormSection SlurmForm::section(bool of_study) const {
  FormSection section;
  section.title = label::kWhere;
  section.fields.push_back(choice(!of_study));
  if (!on_) return section;
  const bool all = allocation_.has_value();
  if (!of_study)
    section.fields.push_back(field(kNodesField, kNodesLabel, FieldKind::kNumber, text(kNodesField),
                                   all ? "all" : "as set",
                                   all ? "Empty: all of the allocation" : "Empty: devices.nodes"));
  const bool unknown = all && !allocation_->gpus_unknown.empty();
  const bool gpus = unknown || (all && allocation_->gpus_per_node > 0);
  section.fields.push_back(field(kGpus, kGpusLabel, FieldKind::kNumber, text(kGpus),
                                 unknown ? "not known yet"
                                 : gpus  ? "all"
                                         : "CPU ranks",
                                 gpus ? "With a rank for each; empty: all, or CPU ranks where "
                                        "devices.kind is cpu"
                                      : "With a rank for each; empty: CPU ranks"));
  for (FieldView& number : section.fields) {
    if (number.kind == FieldKind::kNumber) number.error = count_error(number.text);
  }
  if (allocation_) return section;  // that was asked for with it
  for (const slurm::TextOption& one : slurm::kTextOptions) {
    section.fields.push_back(
        field(key_of(one), one.label, FieldKind::kText, text(key_of(one)), one.empty, one.tip));
  }
  section.fields.push_back(
      field(kMore, kMoreLabel, FieldKind::kText, text(kMore), "mem=8G exclusive",
            "Of sbatch, with spaces between, as in a shell: mem=8G exclusive"));
  return section;
}

namespace {

/// What takes the place of this machine's devices.
void show_devices(const SlurmForm& form, LaunchView& view) {
  view.devices_subtitle = form.place();
  view.cards.clear();
  view.links = {};
  view.best.clear();
  view.selected.clear();
  view.devices_empty = {{label::kSlurmDevices, Style::kStrong}};
  if (const auto& allocation = form.allocation())
    view.devices_empty = {
        {form.place() + " has " + slurm::nodes_of(*allocation) + ". ", Style::kStrong},
        {"The run is a step of it.", Style::kWords}};
}

/// The job or the step, and the command that does the same.
void show_commands(const SlurmForm& form, std::span<const std::string> argv, LaunchView& view) {
  constexpr std::string_view kRun = "ringside run";
  for (PreviewTab& tab : view.preview) {
    const bool runs = !tab.lines.empty() && tab.lines.front().starts_with(kRun);
    if (runs) tab.lines.front().insert(kRun.size(), " " + shell_words(form.words()));
  }
  PreviewTab job{form.allocation() ? "Step" : "Job", {}};
  if (!argv.empty()) job.lines = {shell_words({argv.begin(), argv.end()}), ""};
  for (const std::string_view line : lines_of(slurm::kScript)) job.lines.emplace_back(line);
  view.preview.insert(view.preview.begin(), std::move(job));
}

}  // namespace

void show_slurm(const SlurmForm& form, const LaunchForm& settings,
                std::span<const std::string> argv, bool busy, LaunchView& view) {
  view.where = form.section();
  if (!form.on()) return;
  show_devices(form, view);
  show_commands(form, argv, view);
  const bool inside = form.allocation().has_value();
  const auto asked = form.asked(settings.spec().devices.kind);
  const auto settled = slurm::on_cluster(settings.spec(), asked.value_or(slurm::Options{}));
  const std::int64_t ranks = settled.devices.world_size;
  view.button = busy     ? label::kStarting
                : inside ? launch_label(ranks)
                         : "Submit " + plural(ranks, "rank", "ranks");
  view.button_hint = blocked_by(asked, settings, view, busy);
  view.can_launch = view.button_hint.empty();
  if (view.can_launch) view.button_hint = inside ? "Ctrl Enter launches." : "Ctrl Enter submits.";
}

}  // namespace ringside::view
