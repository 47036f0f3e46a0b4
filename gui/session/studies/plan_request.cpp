#include "gui/session/studies/plan_request.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gui/analysis/scaling/pairs.h"
#include "gui/launch/program/program_files.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/find_run.h"
#include "gui/view/number_format.h"
#include "protocol/base/nearest.h"
#include "protocol/base/printable.h"
#include "protocol/runlog/whole_argv.h"

namespace ringside::session {
namespace {

/// The error for a name that is neither a preset nor a study suggests the nearest name.
Result<launch::LoadedPreset> load_recipe(const std::string& what) {
  auto preset = launch::load_preset(what);
  if (preset || preset.error().kind != ErrorKind::kRequest) return preset;
  const auto studies = launch::study_presets();
  std::vector<std::string> names;
  for (const auto& study : studies ? *studies : std::vector<launch::StudyPreset>())
    names.push_back(study.name);
  const std::string near = nearest_name(what, names);
  if (near.empty()) return preset;
  return bad_request(preset.error().message + "; there is a study \"" + near + "\"");
}

/// Returns the settings of a run to be trained again, if its program is unchanged.
Result<messages::RunSpec> spec_of_run(const runs::ListedRun& run) {
  auto spec = RINGSIDE_TRY(runs::read_spec(run.folder));
  const std::string why = launch::edited_since(run.folder, spec.program);
  if (!why.empty())
    return bad_request("run " + run.folder.id() + " trained another program: " + why +
                       "; `ringside reproduce " + run.folder.id() + " --into DIR` writes that one");
  spec.program = RINGSIDE_TRY(runlog::with_secrets(run.folder, spec.program));
  return spec;
}

}  // namespace

Result<StudyPlanRequest> read_plan_request(const std::string& what, bool quick,
                                           const std::vector<std::string>& sets,
                                           const std::string& title) {
  const auto study = RINGSIDE_TRY(launch::find_study_preset(what));
  auto preset = RINGSIDE_TRY(load_recipe(study ? study->preset : what));
  auto spec = study ? launch::recipe_of(*study, preset, quick) : launch::settings_of(preset, quick);
  if (!spec) return pass(spec);
  StudyPlanRequest recipe;
  recipe.quick = quick;
  if (study) {
    auto request = RINGSIDE_TRY(launch::request_of(*study, quick));
    recipe.request = std::move(request);
    recipe.sources = study->sources;
  }
  auto whole =
      RINGSIDE_TRY(launch::resolve_spec(std::move(*spec), launch::process_environment(), sets));
  recipe.spec = std::move(whole);
  recipe.title = !title.empty() ? title
                 : study        ? study->name + (quick ? " (quick)" : "")
                                : messages::display_name(recipe.spec);
  recipe.preset = std::move(preset);
  return recipe;
}

Result<StudyPlanRequest> script_plan_request(messages::RunSpec settings,
                                             const std::vector<std::string>& sets,
                                             const std::string& title) {
  auto whole =
      RINGSIDE_TRY(launch::resolve_spec(std::move(settings), launch::process_environment(), sets));
  StudyPlanRequest recipe;
  recipe.quick = false;
  recipe.spec = std::move(whole);
  recipe.spec.batch.meaning = "per_rank";  // the batch size in a script is per rank
  recipe.preset.name = messages::program_name(recipe.spec.program.argv);
  recipe.title = title.empty() ? recipe.preset.name : title;
  return recipe;
}

Result<void> make_two(StudyPlanRequest& recipe, messages::RunSpec second,
                      launch::Combination of_first, launch::Combination of_second) {
  const std::int64_t ranks = recipe.spec.devices.world_size;
  if (second.devices.world_size != ranks)
    return bad_request("the first has " + std::to_string(ranks) + " ranks, the second " +
                       std::to_string(second.devices.world_size) +
                       ": `ringside sweep --world` compares numbers of devices");
  launch::StudyRequest& request = recipe.request;
  request.combinations = {std::move(of_first), std::move(of_second)};
  request.recipes = {recipe.spec, std::move(second)};
  return {};
}

Result<StudyPlanRequest> plan_request_of_run(const std::filesystem::path& runs_dir,
                                             const std::string& text) {
  const auto found = RINGSIDE_TRY(runs::find_run(runs_dir, text));
  StudyPlanRequest recipe;
  recipe.quick = false;
  recipe.spec = RINGSIDE_TRY(spec_of_run(found));
  recipe.preset.name = messages::display_name(recipe.spec);
  recipe.title = recipe.preset.name;
  return recipe;
}

Result<void> add_combinations(StudyPlanRequest& recipe, const std::vector<launch::Swept>& swept,
                              const std::optional<launch::Draw>& draw, std::int64_t repeats) {
  launch::StudyRequest& request = recipe.request;
  if (!request.world.empty() || !request.variants.empty())
    return bad_request("\"" + printable_line(recipe.title) +
                       "\" is a study of numbers of devices; name a preset to compare its "
                       "settings");
  auto combinations = RINGSIDE_TRY(launch::combinations_of(swept, recipe.spec.program.argv, draw));
  request.combinations = std::move(combinations);
  request.repeats = std::max<std::int64_t>(1, repeats);
  return {};
}

Result<StudyPlanRequest> plan_request_of_runs(const std::filesystem::path& runs_dir,
                                              const std::string& first, const std::string& second,
                                              const std::string& title) {
  StudyPlanRequest recipe;
  recipe.quick = false;
  std::vector<messages::RunSpec> specs;
  std::vector<launch::Combination> words;
  for (const std::string& text : {first, second}) {
    const auto found = RINGSIDE_TRY(runs::find_run(runs_dir, text));
    auto spec = RINGSIDE_TRY(spec_of_run(found));
    spec.baseline = {};
    specs.push_back(std::move(spec));
    words.push_back(
        {"run=" + (found.number > 0 ? std::to_string(found.number) : found.folder.id())});
  }
  recipe.spec = specs[0];
  recipe.preset.name = messages::display_name(specs[0]);
  recipe.title = title.empty() ? recipe.preset.name : title;
  RINGSIDE_TRY(make_two(recipe, std::move(specs[1]), std::move(words[0]), std::move(words[1])));
  return recipe;
}

Result<StudyPlanRequest> in_place(StudyPlanRequest recipe, const place::Place& where) {
  auto placed = RINGSIDE_TRY(where.for_study(recipe.spec, recipe.request));
  recipe.where = std::move(placed);
  return recipe;
}

// On a cluster and on other nodes only files can be checked from here.
std::vector<launch::Check> checks_of(const StudyPlan& plan, const launch::Machine& machine,
                                     const std::filesystem::path& runs_dir) {
  if (!plan.where->is_here() || plan.where->has_begun())
    return launch::check_files(plan.plan, runs_dir);
  return launch::preflight(plan.plan, launch::inspect_host(machine), runs_dir);
}

Result<std::vector<std::string>> check_plan(const StudyPlan& plan, const launch::Machine& machine,
                                            const std::filesystem::path& runs_dir) {
  std::vector<std::string> warnings;
  if (plan.plan.runs.empty()) return warnings;
  const auto words = [&](const std::string& text) {
    return printable_line(runs::name_runs(text, runs_dir));
  };
  const auto checks = checks_of(plan, machine, runs_dir);
  for (const auto& one : checks) {
    if (one.verdict == launch::Verdict::kWarning) warnings.push_back(words(result_text(one)));
  }
  if (const auto fine = launch::refuse_failures(checks); !fine)
    return tl::unexpected<Error>(Error{fine.error().kind, words(fine.error().message)});
  return warnings;
}

std::vector<std::string> plan_lines(const StudyPlan& plan, const std::filesystem::path& runs_dir) {
  const auto runs = static_cast<std::int64_t>(plan.plan.runs.size());
  const auto settings = static_cast<std::int64_t>(plan.study.settings.size());
  const std::string& name = plan.study.head.study;
  std::string first = (name.empty() ? "A new study" : "Study " + name) + ": " +
                      view::plural(settings, "setting", "settings") + " × " +
                      view::plural(plan.study.head.repeats, "repeat", "repeats") + ", " +
                      view::plural(runs, "run", "runs") + " to train";
  const bool probed = !plan.quick.empty();
  if (runs > 0 && plan.seconds > 0 && !probed)
    first += ", " + view::rough_duration_text(plan.seconds) + " by the runs that are there";
  if (runs > 0 && plan.seconds <= 0 && !probed) first += "; how long is known after the first";
  if (runs > 0 && !plan.study.of_settings()) first += "; each repeat begins with the baseline";
  if (!plan.study.ask.library.empty())
    first += "; " + plan.study.ask.library + " proposes one after the other, " +
             std::to_string(plan.study.ask.trials) + " in all";
  if (plan.study.head.looks > 1)
    first += "; then more until the answer is certain, " +
             std::to_string(analysis::kChecks.back()) + " of each at most";
  std::vector<std::string> lines{first + "."};
  lines.insert(lines.end(), plan.quick.begin(), plan.quick.end());
  const std::string order = plan.where->order(plan.plan.runs.size());
  if (runs > 0 && !order.empty()) lines.push_back(order);
  for (const auto& setting : plan.planned.settings) {
    for (const std::string& one : setting.differences)
      lines.push_back("Differs: " + setting.key + " has " + one + ".");
  }
  for (const std::string& note : plan.notes)
    lines.push_back("Note: " + runs::name_runs(note, runs_dir) + ".");
  for (const std::string& warning : plan.planned.warnings)
    lines.push_back("Warning: " + warning + ".");
  for (std::string& line : lines) line = printable_line(line);
  return lines;
}

}  // namespace ringside::session
