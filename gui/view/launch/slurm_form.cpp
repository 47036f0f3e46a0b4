#include "gui/view/launch/slurm_form.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "gui/view/number_format.h"
#include "protocol/base/shell_word.h"

namespace ringside::view {
namespace {

constexpr const char* kWhereKey = "slurm.where";
constexpr const char* kNodes = "slurm.nodes";
constexpr const char* kGpus = "slurm.gpus_per_node";
constexpr const char* kMore = "slurm.sbatch";

constexpr const char* kSite = "the site's default";

struct TextField {
  const char* key;
  const char* label;
  const char* empty;  ///< what holds while nothing is typed
  const char* tip;
  std::string slurm::Options::*value;
};
constexpr std::array<TextField, 5> kTexts{{
    {"slurm.partition", "Partition", kSite, "Where to queue", &slurm::Options::partition},
    {"slurm.account", "Account", kSite, "Who pays", &slurm::Options::account},
    {"slurm.time", "Time limit", kSite,
     "30 (minutes), 2:00:00 or 1-0. Two minutes before it a checkpoint is saved, and the job goes "
     "back into the queue",
     &slurm::Options::time},
    {"slurm.qos", "QOS", kSite, "Quality of service", &slurm::Options::qos},
    {"slurm.constraint", "Constraint", "none", "Features that the nodes must have",
     &slurm::Options::constraint},
}};

/// Nothing where it is not a number from 0; an empty text is 0.
std::optional<std::int64_t> count_of(const std::string& text) {
  std::int64_t count = 0;
  if (text.empty()) return count;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0) return std::nullopt;
  return count;
}

std::string count_error(const std::string& text) {
  return count_of(text) ? "" : "Write a whole number.";
}

/// `empty`: what an empty field means, which stands in it.
FieldView field(const char* key, const char* label, FieldKind kind, std::string text,
                std::string empty, const char* tip) {
  FieldView view;
  view.key = key;
  view.label = label;
  view.kind = kind;
  if (text.empty()) view.hint = std::move(empty);
  view.text = std::move(text);
  view.tip = tip;
  return view;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    lines.emplace_back(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

std::string blocked_by(const SlurmForm& form, const LaunchForm& settings, const LaunchView& view,
                       bool busy) {
  if (busy) return "The job is being submitted.";
  if (!view.script.missing.empty()) return view.script.missing;
  if (settings.errors() > 0) return label::kBadFields;
  if (settings.problems() > 0) return settings.invalid();
  if (std::string problem = form.problem(); !problem.empty()) return problem;
  for (const CheckView& check : view.checks) {
    if (check.state == CheckState::kFail) return check.title + ": " + check.detail;
  }
  return {};
}

}  // namespace

void SlurmForm::edit(const std::string& key, const std::string& text) {
  if (key == kWhereKey) {
    on_ = text == label::kSlurm;
  } else {
    typed_[key] = text;
  }
}

std::string SlurmForm::text(const std::string& key) const {
  const auto found = typed_.find(key);
  return found == typed_.end() ? std::string() : found->second;
}

slurm::Options SlurmForm::options() const {
  slurm::Options options;
  for (const TextField& one : kTexts) options.*one.value = text(one.key);
  options.nodes = count_of(text(kNodes)).value_or(0);
  options.gpus_per_node = count_of(text(kGpus)).value_or(0);
  options.more = words_of(text(kMore));
  return options;
}

std::string SlurmForm::problem() const {
  for (const char* key : {kNodes, kGpus}) {
    if (std::string error = count_error(text(key)); !error.empty()) return error;
  }
  const auto fine = slurm::check_options(options());
  return fine ? "" : fine.error().message;
}

FormSection SlurmForm::section() const {
  FormSection section;
  section.title = label::kWhere;
  FieldView where = field(kWhereKey, "Start on", FieldKind::kChoice,
                          on_ ? label::kSlurm : label::kThisMachine, "", "");
  where.choices = {label::kThisMachine, label::kSlurm};
  section.fields.push_back(std::move(where));
  if (!on_) return section;
  section.fields.push_back(
      field(kNodes, "Nodes", FieldKind::kNumber, text(kNodes), "as set", "Empty: devices.nodes"));
  section.fields.push_back(field(kGpus, "GPUs per node", FieldKind::kNumber, text(kGpus),
                                 "CPU ranks", "With a rank for each; empty: CPU ranks"));
  for (FieldView& number : section.fields) {
    if (number.kind == FieldKind::kNumber) number.error = count_error(number.text);
  }
  for (const TextField& one : kTexts)
    section.fields.push_back(
        field(one.key, one.label, FieldKind::kText, text(one.key), one.empty, one.tip));
  section.fields.push_back(field(kMore, "More options", FieldKind::kText, text(kMore),
                                 "mem=8G exclusive",
                                 "Of sbatch, with spaces between: mem=8G exclusive"));
  return section;
}

void show_slurm(const SlurmForm& form, const LaunchForm& settings,
                std::span<const std::string> argv, bool busy, LaunchView& view) {
  view.where = form.section();
  if (!form.on()) return;
  view.devices_subtitle = label::kSlurm;
  view.cards.clear();
  view.links = {};
  view.best.clear();
  view.selected.clear();
  view.devices_empty = {{label::kSlurmDevices, Style::kStrong}};
  PreviewTab job{"Job", {}};
  if (!argv.empty()) job.lines = {shell_words({argv.begin(), argv.end()}), ""};
  for (std::string& line : lines_of(slurm::kScript)) job.lines.push_back(std::move(line));
  view.preview.insert(view.preview.begin(), std::move(job));
  const auto asked = slurm::on_cluster(settings.spec(), form.options());
  view.button =
      busy ? label::kStarting : "Submit " + plural(asked.devices.world_size, "rank", "ranks");
  view.button_hint = blocked_by(form, settings, view, busy);
  view.can_launch = view.button_hint.empty();
  if (view.can_launch) view.button_hint = "Ctrl Enter submits.";
}

}  // namespace ringside::view
