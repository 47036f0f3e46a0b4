#include "gui/view/launch/slurm_form.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "gui/place/kinds.h"
#include "gui/view/number_format.h"
#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"

namespace ringside::view {
namespace {

constexpr const char* kWhereKey = "slurm.where";

/// `empty`: what an empty field means, shown as its placeholder.
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

/// `settled`: the settings as resolved by that place.
std::string blocked_by(const Result<place::PlacePtr>& settled, const LaunchForm& settings,
                       const LaunchView& view, const std::string& busy) {
  if (!busy.empty()) return busy;
  if (!view.script.missing.empty()) return view.script.missing;
  if (settings.errors() > 0) return label::kBadFields;
  if (settings.problems() > 0) return settings.invalid();
  if (!settled) return settled.error().message;
  for (const CheckView& check : view.checks) {
    if (check.state == CheckState::kFail) return check.title + ": " + check.detail;
  }
  return {};
}

/// Shows the offer instead of this machine's devices.
void show_devices(const place::Offer& offer, LaunchView& view) {
  view.devices_subtitle = offer.title;
  view.cards.clear();
  view.links = {};
  view.best.clear();
  view.selected.clear();
  if (offer.inside) {
    view.devices_empty = {{offer.title + " has " + offer.nodes + ". ", Style::kStrong},
                          {"The run is a step of it.", Style::kWords}};
  } else {
    view.devices_empty = {{offer.title + " chooses the nodes and their devices.", Style::kStrong}};
  }
}

/// Shows the job or the step, and the command that starts the same.
void show_commands(const place::Offer& offer, const std::string& words,
                   std::span<const std::string> argv, LaunchView& view) {
  constexpr std::string_view kRun = "ringside run";
  for (PreviewTab& tab : view.preview) {
    const bool runs = !tab.lines.empty() && tab.lines.front().starts_with(kRun);
    if (runs) tab.lines.front().insert(kRun.size(), " " + words);
  }
  PreviewTab job{offer.inside ? "Step" : "Job", {}};
  if (!argv.empty()) job.lines = {shell_words({argv.begin(), argv.end()}), ""};
  for (const std::string_view line : lines_of(offer.kind->script)) job.lines.emplace_back(line);
  view.preview.insert(view.preview.begin(), std::move(job));
}

}  // namespace

bool SlurmForm::asks_for_machine(const EditField& edit) {
  return edit.key == kWhereKey && edit.text == label::kAnotherMachine;
}

void SlurmForm::edit(const std::string& key, const std::string& text) {
  if (key == kWhereKey) {
    on_ = text != machine_;
  } else {
    typed_[key.substr(kKeys.size())] = text;
  }
}

void SlurmForm::set_there(place::PlacePtr there) {
  const place::Offer before = there_->offer();
  if (!there->offer().told && before.inside && before.told) return;
  there_ = std::move(there);
}

void SlurmForm::set_options(launch::Typed options) {
  on_ = true;
  typed_ = std::move(options);
}

std::optional<launch::Typed> SlurmForm::typed() const {
  return on_ ? std::optional(typed_) : std::nullopt;
}

bool SlurmForm::operator==(const SlurmForm& other) const {
  const auto seen = [](const SlurmForm& form) {
    const place::Offer offer = form.there_->offer();
    return std::tuple(offer.kind, offer.title, offer.inside, offer.nodes, offer.told);
  };
  return on_ == other.on_ && machine_ == other.machine_ && typed_ == other.typed_ &&
         (there_ == other.there_ || seen(*this) == seen(other));
}

Result<place::PlacePtr> SlurmForm::chosen() const {
  return on_ ? there_->with(typed_) : there_->beside();
}

std::vector<std::string> SlurmForm::words() const {
  return on_ ? place::words_of(*there_->offer().kind, typed_) : std::vector<std::string>();
}

FieldView SlurmForm::choice(const place::Offer& offer, bool with_machines) const {
  FieldView where =
      field(kWhereKey, "Start on", FieldKind::kChoice, on_ ? offer.title : machine_, "", "");
  where.choices = {machine_, offer.title};
  if (with_machines) where.choices.insert(where.choices.begin() + 1, label::kAnotherMachine);
  if (!offer.inside) return where;
  where.hint = (on_ ? "" : "inside " + offer.title + ", ") + offer.nodes;
  where.tip = "This window was started inside an allocation; a run is a step of it";
  return where;
}

FormSection SlurmForm::section(bool of_study) const {
  const place::Offer offer = there_->offer();
  FormSection section;
  section.title = label::kWhere;
  section.fields.push_back(choice(offer, !of_study));
  if (!on_) return section;
  for (const launch::PlaceOption& row : offer.options) {
    if (of_study && row.of_run) continue;
    const auto text = typed_.find(row.key);
    const bool number = row.most > 0;
    FieldView view = field(std::string(kKeys) + row.key, row.label,
                           number ? FieldKind::kNumber : FieldKind::kText,
                           text == typed_.end() ? "" : text->second, row.empty, row.tip);
    if (number && !launch::values_of(row, typed_)) view.error = "Write a whole number.";
    section.fields.push_back(std::move(view));
  }
  return section;
}

void show_slurm(const SlurmForm& form, const LaunchForm& settings,
                std::span<const std::string> argv, bool busy, LaunchView& view) {
  view.where = form.section();
  if (!form.on()) return;
  const place::Offer offer = form.there()->offer();
  show_devices(offer, view);
  show_commands(offer, shell_words(form.words()), argv, view);
  messages::RunSpec spec = settings.spec();
  auto settled = form.chosen();
  if (settled) {
    launch::StudyRequest request;
    request.one_setting = true;
    settled = (*settled)->for_study(spec, request);
  }
  const std::int64_t ranks = spec.devices.world_size;
  view.button = busy           ? label::kStarting
                : offer.inside ? launch_label(ranks)
                               : "Submit " + plural(ranks, "rank", "ranks");
  view.button_hint = blocked_by(settled, settings, view,
                                busy ? std::string(offer.kind->title) + " is being asked." : "");
  view.can_launch = view.button_hint.empty();
  if (view.can_launch)
    view.button_hint = offer.inside ? "Ctrl Enter launches." : "Ctrl Enter submits.";
}

}  // namespace ringside::view
