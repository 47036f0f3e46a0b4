#include "gui/session/studies/study_form_plan.h"

#include <optional>
#include <utility>

#include "gui/launch/launchers/script.h"
#include "gui/session/quick_fit.h"
#include "gui/session/studies/plan_request.h"
#include "gui/session/studies/study_fit.h"
#include "protocol/base/printable.h"
#include "protocol/base/shell_word.h"
#include "protocol/base/text.h"

namespace ringside::session {
namespace {

constexpr std::int64_t kMostRanks = 4096;

/// Parses a number that may be left out.
Result<std::optional<std::int64_t>> read_count(const std::string& text, const char* label,
                                               std::int64_t least, std::int64_t most) {
  if (text.empty()) return std::optional<std::int64_t>();
  const auto count = whole_number(text);
  if (count && *count >= least && *count <= most) return count;
  return bad_request(std::string(label) + ": \"" + printable_line(text) +
                     "\" is not a number from " + std::to_string(least) + " to " +
                     std::to_string(most));
}

/// Returns the settings that are varied, and those with a single value, which apply to all runs.
Result<launch::AskedSettings> asked_settings(const view::StudyForm& form) {
  launch::AskedSettings asked;
  if (!form.settings || !form.more.empty()) return asked;
  asked = RINGSIDE_TRY(launch::parse_settings(view::varied(form)));
  if (asked.swept.empty())
    return bad_request("Vary: which settings have several values? e.g. optimizer.lr=0.01,0.03,0.1");
  return asked;
}

Result<std::optional<launch::Draw>> draw_of_form(const view::StudyForm& form) {
  const auto count = RINGSIDE_TRY(
      read_count(form.random, "Draw", 2, static_cast<std::int64_t>(launch::kMostCombinations)));
  const auto seed = RINGSIDE_TRY(read_count(form.seed, "Seed", 0, 1'000'000'000));
  if (!count) return std::optional<launch::Draw>();
  return std::optional(launch::Draw{static_cast<std::uint64_t>(*count),
                                    static_cast<std::uint64_t>(seed.value_or(0))});
}

/// Returns the recipe for a custom command, as `ringside sweep -- COMMAND` makes it.
Result<StudyPlanRequest> command_of_form(const view::StudyForm& form,
                                         const std::vector<std::string>& sets,
                                         const launch::Machine& machine,
                                         std::vector<std::string>& notes) {
  launch::ScriptRequest request;
  auto words = RINGSIDE_TRY(split_words(form.command));
  if (words.empty())
    return bad_request("Command: what is to be trained? e.g. python train.py --lr {lr}");
  request.command = std::move(words);
  request.ranks = 1;
  if (form.settings) {
    const auto ranks = RINGSIDE_TRY(read_count(form.ranks, "Ranks", 1, kMostRanks));
    request.ranks = ranks;
  }
  request.gpus = static_cast<std::int64_t>(machine.gpus.size());
  request.cores = machine.cores;
  auto settings = RINGSIDE_TRY(launch::script_spec(request, notes));
  return script_plan_request(std::move(settings), sets, {});
}

/// Returns the recipe of a new study from its form. `notes`: how a launcher's options were
/// translated.
Result<StudyPlanRequest> recipe_of_form(const view::StudyForm& form, const launch::Machine& machine,
                                        std::vector<std::string>& notes) {
  const auto asked = RINGSIDE_TRY(asked_settings(form));
  auto recipe =
      RINGSIDE_TRY(form.own_command() ? command_of_form(form, asked.fixed, machine, notes)
                                      : read_plan_request(form.recipe, form.quick, asked.fixed));
  if (form.settings) {
    const auto draw = RINGSIDE_TRY(draw_of_form(form));
    RINGSIDE_TRY(add_combinations(recipe, asked.swept, draw, 1));
  }
  RINGSIDE_TRY(read_form(form, recipe.request));
  recipe.adopt = !form.fresh;
  const auto where = RINGSIDE_TRY(form.slurm.chosen());
  return in_place(std::move(recipe), *where);
}

Result<StudyPlan> plan_form(const std::filesystem::path& runs_dir, const view::StudyForm& form,
                            const launch::Machine& machine) {
  StudyPlanRequest plan_request;
  if (!form.more.empty()) {
    const auto study = RINGSIDE_TRY(runs::read_study(runs_dir, form.more));
    RINGSIDE_TRY(read_form(form, plan_request.request));
    plan_request.adopt = !form.fresh;
    const auto where = RINGSIDE_TRY(form.slurm.chosen());
    plan_request.where = where;
    return plan_more(runs_dir, study, plan_request, machine);
  }
  std::vector<std::string> notes;
  const auto recipe = RINGSIDE_TRY(recipe_of_form(form, machine, notes));
  auto plan = RINGSIDE_TRY(plan_study(runs_dir, recipe, machine));
  plan.notes.insert(plan.notes.begin(), notes.begin(), notes.end());
  return plan;
}

/// Whether this is a new study at quick scale on this machine, which is fitted to it at the start.
bool is_fitted(const view::StudyForm& form) {
  return form.quick && form.more.empty() && !form.own_command() && !form.slurm.on();
}

}  // namespace

bool ask_anew(view::SlurmForm& form, const launch::Cancelled& cancelled) {
  const auto there = form.there()->now(cancelled);
  form.set_there(there);
  return there->offer().inside && there->offer().told;
}

Result<void> read_form(const view::StudyForm& form, launch::StudyRequest& request) {
  const auto repeats = whole_number(form.repeats);
  if (!repeats || *repeats < 1 || *repeats > 100)
    return bad_request("Repeats: \"" + printable_line(form.repeats) +
                       "\" is not a number from 1 to 100");
  request.repeats = form.more.empty() || form.settings ? *repeats : 0;
  if (form.settings) {
    (void)RINGSIDE_TRY(asked_settings(form));
    (void)RINGSIDE_TRY(draw_of_form(form));
    return {};
  }
  if (form.more.empty() || !form.world.empty()) {
    auto world = RINGSIDE_TRY(launch::parse_world(form.world));
    request.world = std::move(world);
  }
  if (form.own_command()) return {};
  auto variants = RINGSIDE_TRY(launch::parse_variants(form.variants));
  request.variants = std::move(variants);
  request.weak = form.series == "weak" || form.series == "both";
  request.strong = form.series == "strong" || form.series == "both";
  return {};
}

FormPlan plan_checked(const std::filesystem::path& runs_dir, view::StudyForm form,
                      const launch::Cancelled& cancelled) {
  FormPlan made;
  if (form.slurm.on() || !form.more.empty()) (void)ask_anew(form.slurm, cancelled);
  made.where = form.slurm;
  if (!form.more.empty() && !form.settings && form.world.empty() && form.variants.empty()) {
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
  if (!study || !*study || form.settings) return;
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
  const auto machine = RINGSIDE_TRY(plan.where->machine(cancelled));
  std::vector<std::string> notes;
  const auto recipe = RINGSIDE_TRY(recipe_of_form(form, machine, notes));
  const auto study = launch::find_study_preset(form.recipe);
  view::StudyForm own = form;
  fill_from_study(own);
  StudyFitRequest plan_request;
  plan_request.chosen_size = chooses_size(launch::process_environment(), view::varied(form));
  plan_request.chosen_settings = form.settings || !study || !*study || own.world != form.world ||
                                 own.variants != form.variants;
  plan_request.cancelled = cancelled;
  return fit_study(runs_dir, recipe, std::move(plan), machine, plan_request);
}

}  // namespace ringside::session
