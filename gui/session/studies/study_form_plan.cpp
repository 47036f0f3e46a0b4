#include "gui/session/studies/study_form_plan.h"

#include <utility>

#include "gui/session/studies/study_fit.h"
#include "gui/session/studies/study_wish.h"
#include "protocol/base/text.h"

namespace ringside::session {
namespace {

/// The recipe of a new study, from its form.
Result<StudyWish> recipe_of_form(const view::StudyForm& form) {
  auto recipe = RINGSIDE_TRY(read_wish(form.recipe, form.quick, {}));
  RINGSIDE_TRY(read_form(form, recipe.request));
  recipe.adopt = !form.fresh;
  const auto where = RINGSIDE_TRY(form.slurm.chosen());
  return in_place(std::move(recipe), *where);
}

Result<StudyPlan> plan_form(const std::filesystem::path& runs_dir, const view::StudyForm& form,
                            const launch::Machine& machine) {
  StudyWish wish;
  if (!form.more.empty()) {
    const auto study = RINGSIDE_TRY(runs::read_study(runs_dir, form.more));
    RINGSIDE_TRY(read_form(form, wish.request));
    wish.adopt = !form.fresh;
    const auto where = RINGSIDE_TRY(form.slurm.chosen());
    wish.where = where;
    return plan_more(runs_dir, study, wish, machine);
  }
  const auto recipe = RINGSIDE_TRY(recipe_of_form(form));
  return plan_study(runs_dir, recipe, machine);
}

/// A new study at its recipe's small scale, on this machine: fitted to it when it starts.
bool is_fitted(const view::StudyForm& form) {
  return form.quick && form.more.empty() && !form.slurm.on();
}

}  // namespace

bool ask_anew(view::SlurmForm& form, const launch::Cancelled& cancelled) {
  const auto there = form.there()->now(cancelled);
  form.set_there(there);
  return there->offer().inside && there->offer().told;
}

Result<void> read_form(const view::StudyForm& form, launch::StudyRequest& request) {
  if (form.more.empty() || !form.world.empty()) {
    auto world = RINGSIDE_TRY(launch::parse_world(form.world));
    request.world = std::move(world);
  }
  auto variants = RINGSIDE_TRY(launch::parse_variants(form.variants));
  request.variants = std::move(variants);
  const auto repeats = whole_number(form.repeats);
  if (!repeats || *repeats < 1 || *repeats > 100)
    return bad_request("Repeats: \"" + form.repeats + "\" is not a number from 1 to 100");
  request.repeats = form.more.empty() ? *repeats : 0;
  request.weak = form.series == "weak" || form.series == "both";
  request.strong = form.series == "strong" || form.series == "both";
  return {};
}

FormPlan plan_checked(const std::filesystem::path& runs_dir, view::StudyForm form,
                      const launch::Cancelled& cancelled) {
  FormPlan made;
  if (form.slurm.on() || !form.more.empty()) (void)ask_anew(form.slurm, cancelled);
  made.where = form.slurm;
  if (!form.more.empty() && form.world.empty() && form.variants.empty()) {
    made.plan = bad_request("Devices: which numbers are added? e.g. 6,8");
    return made;
  }
  const auto machine = (form.slurm.on() ? form.slurm.there() : place::here())->machine(cancelled);
  made.plan = machine ? plan_form(runs_dir, form, *machine) : Result<StudyPlan>(pass(machine));
  if (!made.plan) return made;
  if (is_fitted(form)) {
    made.plan->quick.emplace_back(
        "Start probes this machine for some seconds, estimates how long it takes and trains less "
        "where that is long.");
  }
  made.lines = plan_lines(*made.plan, runs_dir);
  const auto warnings = check_plan(*made.plan, *machine, runs_dir);
  if (!warnings) made.plan = pass(warnings);
  if (warnings) {
    for (const std::string& one : *warnings) made.lines.push_back("Warning: " + one);
  }
  return made;
}

void fill_from_study(view::StudyForm& form) {
  const auto study = launch::find_study_preset(form.recipe);
  if (!study || !*study) return;
  const auto request = launch::request_of(**study, form.quick);
  if (!request) return;
  form.world.clear();
  for (const launch::WorldSize& world : request->world)
    form.world += (form.world.empty() ? "" : ",") + launch::world_text(world);
  form.variants.clear();
  for (const auto& one : request->variants)
    form.variants += (form.variants.empty() ? "" : ",") + one.word +
                     (one.devices > 0 ? "@" + std::to_string(one.devices) : "");
  form.repeats = std::to_string(request->repeats);
  form.series = request->weak && request->strong ? "both"
                : request->weak                  ? "weak"
                : request->strong                ? "strong"
                                                 : "recipe";
}

Result<StudyPlan> fit_form(const std::filesystem::path& runs_dir, const view::StudyForm& form,
                           StudyPlan plan, const launch::Cancelled& cancelled) {
  plan.quick.clear();
  if (!is_fitted(form)) return plan;
  const auto recipe = RINGSIDE_TRY(recipe_of_form(form));
  const auto machine = RINGSIDE_TRY(plan.where->machine(cancelled));
  const auto study = launch::find_study_preset(form.recipe);
  view::StudyForm own = form;
  fill_from_study(own);
  StudyFitWish wish;
  wish.chosen_settings =
      !study || !*study || own.world != form.world || own.variants != form.variants;
  wish.cancelled = cancelled;
  return fit_study(runs_dir, recipe, std::move(plan), machine, wish);
}

}  // namespace ringside::session
