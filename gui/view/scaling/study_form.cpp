#include "gui/view/scaling/study_form.h"

#include <utility>

namespace ringside::view {
namespace {

/// The same fields of Slurm as in Launch; the plan says where one is wrong.
void add_slurm_fields(const StudyForm& form, std::vector<StudyFormField>& fields) {
  for (FieldView& field : form.slurm.section(true).fields) {
    if (field.kind == FieldKind::kChoice && !form.more.empty())
      continue;  // an existing study keeps its place
    const bool half = field.kind != FieldKind::kChoice;
    fields.push_back(
        {field.key, field.label, field.text, field.hint, std::move(field.choices), false, half});
  }
}

}  // namespace

StudyFormView build_study_form(const StudyFormFacts& facts) {
  const StudyForm& form = facts.form;
  StudyFormView view;
  const bool is_new = form.more.empty();
  view.title = is_new ? "New study" : "More settings of " + form.more;
  if (is_new) {
    view.fields.push_back({"recipe", "Recipe", form.recipe,
                           "A ready-made study, or a preset; its settings are locked",
                           facts.recipes, false});
    view.fields.push_back({"quick",
                           "Quick scale",
                           form.quick ? "true" : "false",
                           "The recipe's small scale: CPU ranks and generated data",
                           {},
                           true});
  }
  view.fields.push_back({"world",
                         "Devices",
                         form.world,
                         "1,2,4,8, or 2x4: nodes x devices; 1 is the baseline",
                         {},
                         false});
  if (is_new)
    view.fields.push_back({"repeats", "Repeats", form.repeats, "Runs of each setting", {}, false});
  view.fields.push_back({"series",
                         "Batch",
                         form.series,
                         "weak: kept per device; strong: the global batch is kept",
                         {"recipe", "weak", "strong", "both"},
                         false});
  view.fields.push_back({"variants",
                         "Variants",
                         form.variants,
                         "dp@4, bf16@4: DataParallel, a precision",
                         {},
                         false});
  view.fields.push_back({"fresh",
                         "Train every run",
                         form.fresh ? "true" : "false",
                         "Do not reuse equal earlier runs",
                         {},
                         true});
  if (is_new ? facts.has_slurm : form.slurm.on()) add_slurm_fields(form, view.fields);
  view.lines = facts.lines;
  view.problem = facts.problem;
  if (facts.starting) view.lines.emplace_back("Starting…");
  if (facts.planning && facts.problem.empty()) view.lines.assign(1, "Looking at it…");
  view.can_start = facts.problem.empty() && !facts.planning && !facts.starting && facts.has_runs;
  return view;
}

void edit_study(StudyForm& form, std::string_view key, const std::string& text) {
  if (key.starts_with(SlurmForm::kKeys)) form.slurm.edit(std::string(key), text);
  if (key == "recipe") form.recipe = text;
  if (key == "quick") form.quick = text == "true";
  if (key == "world") form.world = text;
  if (key == "repeats") form.repeats = text;
  if (key == "series") form.series = text;
  if (key == "variants") form.variants = text;
  if (key == "fresh") form.fresh = text == "true";
}

}  // namespace ringside::view
