#include "gui/view/scaling/study_form.h"

#include <algorithm>
#include <utility>

#include "gui/launch/studies/combinations.h"
#include "gui/view/number_format.h"
#include "gui/view/runs/run_columns.h"
#include "protocol/base/text.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::view {
namespace {

constexpr std::string_view kVaryKey = "vary.";
constexpr std::size_t kMostVaried = 6;

/// Adds the same Slurm fields as Launch; errors in them are reported by the plan.
void add_slurm_fields(const StudyForm& form, std::vector<StudyFormField>& fields) {
  for (FieldView& field : form.slurm.section(true).fields) {
    if (field.kind == FieldKind::kChoice && !form.more.empty())
      continue;  // an existing study keeps its partition or machine
    const bool half = field.kind != FieldKind::kChoice;
    fields.push_back(
        {field.key, field.label, field.text, field.hint, std::move(field.choices), false, half});
  }
}

/// Edits a row and keeps one empty row at the end for another setting.
void edit_vary(StudyForm& form, std::string_view row, const std::string& text) {
  const auto place = whole_number<std::size_t>(row);
  if (!place || *place >= form.vary.size()) return;
  form.vary[*place] = text;
  while (!form.vary.empty() && form.vary.back().empty()) form.vary.pop_back();
  if (form.vary.size() < kMostVaried) form.vary.emplace_back();
}

StudyFormField text_entry(std::string key, std::string label, std::string value, std::string hint) {
  return {std::move(key), std::move(label), std::move(value), std::move(hint), {}, false};
}

StudyFormField tick_entry(std::string key, std::string label, bool on, std::string hint) {
  return {std::move(key), std::move(label), on ? "true" : "false", std::move(hint), {}, true};
}

/// Returns the first settings whose names contain the typed text.
std::string names_like(std::string_view typed) {
  constexpr std::size_t kMostNames = 3;
  std::string names;
  std::size_t count = 0;
  for (const messages::Setting& setting : messages::settings()) {
    if (setting.key.find(typed) == setting.key.npos) continue;
    if (++count > kMostNames) return names + ", …";
    add_listed(names, setting.key);
  }
  return names.empty() ? "there is no such setting" : names;
}

/// Returns "optimizer.lr=0.1" for "lr=0.1", where one setting alone has that name.
std::string with_whole_key(const std::string& set) {
  const std::size_t equals = set.find('=');
  const auto called = settings_called(std::string_view(set).substr(0, equals));
  if (equals == set.npos || called.size() != 1) return set;
  return called.front() + set.substr(equals);
}

/// Returns the hint beside a setting while it is typed.
std::string vary_hint(const StudyForm& form, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (text.empty()) return form.own_command() ? "lr=0.01,0.03 for {lr}" : "optimizer.lr=0.01,0.03";
  if (equals == text.npos) return form.own_command() ? "NAME=VALUE,VALUE" : names_like(text);
  const std::string whole = form.own_command() ? text : with_whole_key(text);
  const std::string key = whole.substr(0, whole.find('='));
  const auto values = launch::values_of(key, std::string_view(text).substr(equals + 1));
  const std::string count = plural(static_cast<std::int64_t>(values.size()), "value", "values");
  return whole == text ? count : key + ": " + count;
}

void add_vary_fields(const StudyForm& form, std::vector<StudyFormField>& fields) {
  for (std::size_t i = 0; i < form.vary.size(); ++i) {
    fields.push_back(text_entry(std::string(kVaryKey) + std::to_string(i), i == 0 ? "Vary" : "",
                                form.vary[i], vary_hint(form, form.vary[i])));
    fields.back().wide = true;
  }
  fields.push_back(text_entry("random", "Draw", form.random, "else all"));
  fields.push_back(text_entry("seed", "Seed", form.seed, "else 0"));
  fields.back().half = fields[fields.size() - 2].half = true;
}

/// Adds the fields of a new study that choose what is trained.
void add_recipe_fields(const StudyFormFacts& facts, std::vector<StudyFormField>& fields) {
  const StudyForm& form = facts.form;
  fields.push_back({"recipe", "Recipe", form.recipe,
                    "A ready-made study, or a preset; its settings are locked", facts.recipes,
                    false});
  if (form.own_command()) {
    fields.push_back(text_entry("command", "Command", form.command, "python train.py --lr {lr}"));
    fields.back().wide = true;
  } else {
    fields.push_back(tick_entry("quick", "Quick scale", form.quick,
                                "The recipe's small scale: CPU ranks and generated data"));
  }
  fields.push_back({"compare",
                    "Compare",
                    form.settings ? kCompareSettings : kCompareDevices,
                    "",
                    {kCompareDevices, kCompareSettings},
                    false});
}

/// Adds the variants of batch size and training; a person's own command has none.
void add_series_fields(const StudyForm& form, std::vector<StudyFormField>& fields) {
  fields.push_back({"series",
                    "Batch",
                    form.series,
                    "weak: kept per device; strong: the global batch is kept",
                    {"recipe", "weak", "strong", "both"},
                    false});
  fields.push_back(
      text_entry("variants", "Variants", form.variants, "dp@4, bf16@4: DataParallel, a precision"));
}

}  // namespace

StudyFormView build_study_form(const StudyFormFacts& facts) {
  const StudyForm& form = facts.form;
  StudyFormView view;
  const bool is_new = form.more.empty();
  view.title = is_new ? "New study" : "More settings of " + form.more;
  if (!is_new && form.settings) view.title = "More repeats of " + form.more;
  if (is_new) add_recipe_fields(facts, view.fields);
  if (!form.settings)
    view.fields.push_back(text_entry("world", "Devices", form.world,
                                     "1,2,4,8, or 2x4: nodes x devices; 1 is the baseline"));
  if (is_new && form.settings) add_vary_fields(form, view.fields);
  if (form.own_command() && form.settings)
    view.fields.push_back(text_entry("ranks", "Ranks", form.ranks, "As the command says, else 1"));
  if (is_new || form.settings)
    view.fields.push_back(text_entry("repeats", "Repeats", form.repeats, "Runs of each setting"));
  if (!form.settings && !form.own_command()) add_series_fields(form, view.fields);
  view.fields.push_back(
      tick_entry("fresh", "Train every run", form.fresh, "Do not reuse equal earlier runs"));
  if (is_new ? facts.has_slurm : form.slurm.on()) add_slurm_fields(form, view.fields);
  view.lines = facts.lines;
  view.problem = facts.problem;
  if (facts.starting) view.lines.emplace_back("Starting…");
  if (facts.planning && facts.problem.empty()) view.lines.assign(1, "Looking at it…");
  view.can_start = facts.problem.empty() && !facts.planning && !facts.starting && facts.has_runs;
  return view;
}

std::vector<std::string> varied(const StudyForm& form) {
  std::vector<std::string> sets;
  if (form.settings) sets = form.vary;
  std::erase(sets, std::string());
  // The names of a person's own command are no settings of ours.
  if (!form.own_command()) std::ranges::transform(sets, sets.begin(), with_whole_key);
  return sets;
}

void edit_study(StudyForm& form, std::string_view key, const std::string& text) {
  if (key.starts_with(SlurmForm::kKeys)) form.slurm.edit(std::string(key), text);
  if (key.starts_with(kVaryKey)) edit_vary(form, key.substr(kVaryKey.size()), text);
  if (key == "compare") {
    form.settings = text == kCompareSettings;
    form.repeats = form.settings ? "1" : "3";
  }
  if (key == "command") form.command = text;
  if (key == "random") form.random = text;
  if (key == "seed") form.seed = text;
  if (key == "ranks") form.ranks = text;
  if (key == "recipe") form.recipe = text;
  if (key == "quick") form.quick = text == "true";
  if (key == "world") form.world = text;
  if (key == "repeats") form.repeats = text;
  if (key == "series") form.series = text;
  if (key == "variants") form.variants = text;
  if (key == "fresh") form.fresh = text == "true";
}

}  // namespace ringside::view
