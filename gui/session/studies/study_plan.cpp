#include "gui/session/studies/study_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "gui/launch/preflight/readiness.h"
#include "gui/launch/program/program_files.h"
#include "gui/launch/studies/combinations.h"
#include "gui/runs/catalogue.h"
#include "gui/session/studies/study_runs.h"
#include "protocol/base/clock.h"
#include "protocol/base/text.h"
#include "protocol/host/files.h"
#include "protocol/messages/spec/settings.h"

namespace ringside::session {
namespace {

namespace fs = std::filesystem;
using messages::RunSpec;
using runs::Study;
using runs::StudySetting;

constexpr double kGuessedEfficiency = 0.8;

std::size_t place_of(std::int64_t repeat) { return static_cast<std::size_t>(repeat - 1); }

const std::string& run_of(const StudySetting& setting, std::int64_t repeat) {
  static const std::string kNone;
  return place_of(repeat) < setting.runs.size() ? setting.runs[place_of(repeat)] : kNone;
}

const launch::PlannedSetting* setting_of(const launch::PlannedSettings& planned,
                                         const std::string& key) {
  const auto found =
      std::ranges::find_if(planned.settings, [&](const auto& one) { return one.key == key; });
  return found == planned.settings.end() ? nullptr : &*found;
}

/// Returns what is added to the recipe's seed for a repeat: repeats of a combination with equal
/// seeds would be identical and show no spread. Custom programs choose their own seeds.
std::int64_t seeds_on(const StudySetting& setting, const RunSpec& spec, std::int64_t repeat) {
  const auto values = setting.values();
  const bool swept =
      std::ranges::any_of(values, [](const auto& value) { return value.first == "train.seed"; });
  return values.empty() || swept || !spec.program.argv.empty() ? 0 : repeat - 1;
}

/// Returns the settings of a repeat, counted from 1; `spec` has those of the first.
RunSpec repeat_of(const StudySetting& setting, RunSpec spec, std::int64_t repeat) {
  spec.train.seed += seeds_on(setting, spec, repeat);
  return spec;
}

/// Returns the complete preset that was copied into the folder of a run.
std::optional<launch::LoadedPreset> copied_preset(const fs::path& folder) {
  auto named = launch::preset_of_run(folder);
  if (!named) return std::nullopt;
  auto text = read_text(launch::preset_copy_path(folder, named->name));
  if (!text) return std::nullopt;
  return launch::LoadedPreset{named->name, std::move(*text), std::move(named->file)};
}

/// Returns the preset called `name` in the folder of any run of these settings; empty name: any
/// preset.
std::optional<launch::LoadedPreset> copied_preset(const fs::path& runs_dir,
                                                  std::span<const StudySetting> settings,
                                                  const std::string& name = {}) {
  for (const StudySetting& setting : settings) {
    for (const auto* ids : {&setting.runs, &setting.left_out}) {
      for (const std::string& id : *ids) {
        auto copy = id.empty() ? std::nullopt : copied_preset(runs_dir / id);
        if (copy && (name.empty() || copy->name == name)) return copy;
      }
    }
  }
  return std::nullopt;
}

Result<void> add_source(const fs::path& runs_dir, const StudyPlanRequest& plan_request,
                        const StudySetting& setting, launch::PlannedRun& run) {
  const auto source = std::ranges::find_if(
      plan_request.sources, [&](const auto& one) { return one.setting == setting.key; });
  std::optional<launch::LoadedPreset> preset;
  if (source != plan_request.sources.end()) {
    auto loaded = RINGSIDE_TRY(launch::load_preset(source->preset));
    preset = std::move(loaded);
  } else {
    preset = copied_preset(runs_dir, {&setting, 1});
  }
  if (!preset || preset->file.published.source.empty()) return {};
  run.preset_name = preset->name;
  run.preset_text = preset->text;
  return {};
}

/// Returns the settings in the order of a repeat, counted from 1. In every second pair the order is
/// reversed, so that a drift of the machine favours neither setting.
std::vector<const StudySetting*> in_order(const Study& study, std::int64_t repeat) {
  std::vector<const StudySetting*> settings;
  for (const StudySetting& one : study.settings) settings.push_back(&one);
  if (study.of_pairs() && repeat % 2 == 0) std::ranges::reverse(settings);
  return settings;
}

/// Adds the missing runs of the study to its plan, repeat by repeat, the baseline first.
Result<void> add_missing(const fs::path& runs_dir, const StudyPlanRequest& plan_request,
                         const std::map<std::string, KnownRun>& known, StudyPlan& plan) {
  const Study& study = plan.study;
  for (std::int64_t repeat = 1; repeat <= study.head.repeats; ++repeat) {
    const std::string& baseline = run_of(study.settings.front(), repeat);
    for (const StudySetting* const one : in_order(study, repeat)) {
      const StudySetting& setting = *one;
      const std::string& there = run_of(setting, repeat);
      const auto run = known.find(there);
      const bool waits = run != known.end() && !run->second.begun;
      if (!there.empty() && !waits) continue;
      const auto* planned = setting_of(plan.planned, setting.key);
      if (planned == nullptr)
        return bad_request("setting " + setting.key + " cannot be planned from the recipe");
      launch::PlannedRun next{repeat_of(setting, planned->spec, repeat), setting.is_baseline()};
      next.spec.name =
          launch::run_name(study.head.title, setting.series(), {setting.devices(), setting.nodes()},
                           repeat, study.head.repeats);
      if (!setting.is_baseline() && !setting.is_combination()) {
        next.spec.baseline.mode = baseline.empty() ? "run" : "reuse";
        next.spec.baseline.run = baseline;
      }
      if (auto added = add_source(runs_dir, plan_request, setting, next); !added) return added;
      plan.plan.runs.push_back(std::move(next));
      plan.places.push_back({setting.key, repeat, there});
    }
  }
  if (plan.plan.runs.empty()) return {};
  launch::keep_source(plan.plan, plan_request.preset);
  plan.plan.fallback = plan.planned.fallback;
  plan.plan.warnings = plan.planned.warnings;
  plan.plan.keep_going = true;
  return {};
}

void adopt(const fs::path& runs_dir, const launch::Machine& machine, StudyPlan& plan) {
  EarlierRuns earlier(runs_dir);
  for (const StudySetting& setting : plan.study.settings) {
    for (const std::string& id : setting.runs) earlier.leave(id);
    for (const std::string& id : setting.left_out) earlier.leave(id);
  }
  std::string adopted;
  for (StudySetting& setting : plan.study.settings) {
    const auto* planned = setting_of(plan.planned, setting.key);
    std::size_t count = 0;
    std::int64_t repeat = 0;
    for (std::string& id : setting.runs) {
      ++repeat;
      if (!id.empty() || planned == nullptr) continue;
      id = earlier.take(repeat_of(setting, planned->spec, repeat), machine);
      if (id.empty()) break;
      setting.adopted.push_back(id);
      ++count;
    }
    if (count > 0) add_listed(adopted, setting.key + ": " + std::to_string(count));
  }
  if (!adopted.empty()) {
    plan.notes.push_back("equal runs that are there already count (" + adopted + ")");
  }
}

/// Estimates the seconds of each run of the plan from finished runs; returns their sum, or 0.
double estimate(StudyPlan& plan, const std::map<std::string, KnownRun>& known) {
  std::map<std::string, double> of_setting;
  double one_device = 0;
  for (const StudySetting& setting : plan.study.settings) {
    for (const std::string& id : setting.runs) {
      const auto run = known.find(id);
      if (run == known.end() || run->second.seconds <= 0) continue;
      of_setting[setting.key] = run->second.seconds;
      const double devices = static_cast<double>(setting.devices());
      const double share = devices > 1 ? devices * kGuessedEfficiency : 1;
      if (one_device <= 0 || setting.is_baseline()) one_device = run->second.seconds * share;
      if (setting.is_baseline()) break;
    }
  }
  if (one_device <= 0) return 0;
  double seconds = 0;
  for (std::size_t i = 0; i < plan.places.size(); ++i) {
    const std::string& key = plan.places[i].key;
    const auto measured = of_setting.find(key);
    const double devices = static_cast<double>(plan.study.find(key)->devices());
    double& run_s = plan.plan.runs[i].expected_s;
    run_s = measured != of_setting.end() ? measured->second
            : devices > 1                ? one_device / (devices * kGuessedEfficiency)
                                         : one_device;
    seconds += run_s;
  }
  return seconds;
}

/// Removes runs that failed, were cut short or were deleted, so that they are trained again.
void leave_out(const std::map<std::string, KnownRun>& known, StudyPlan& plan) {
  for (StudySetting& setting : plan.study.settings) {
    setting.runs.resize(static_cast<std::size_t>(plan.study.head.repeats));
    for (std::string& id : setting.runs) {
      const auto run = known.find(id);
      if (run == known.end() || run->second.state == "finished") continue;
      if (!run->second.state.empty() && !run->second.begun) continue;
      if (!run->second.state.empty()) {
        plan.notes.push_back("run " + id + " (" + setting.key + ", " + run->second.state +
                             ") is trained again: a run with a gap in it is not measured");
        setting.left_out.push_back(id);
      }
      std::erase(setting.adopted, id);
      id.clear();
    }
  }
}

/// Removes the other run of a pair too, since both runs of a pair must be trained together.
void leave_out_partners(const std::map<std::string, KnownRun>& known, StudyPlan& plan) {
  if (!plan.study.of_pairs()) return;
  const auto finished = [&](const std::string& id) {
    const auto run = known.find(id);
    return run != known.end() && run->second.state == "finished";
  };
  auto& settings = plan.study.settings;
  for (std::size_t repeat = 0; repeat < settings[0].runs.size(); ++repeat) {
    for (std::size_t one : {0U, 1U}) {
      std::string& id = settings[one].runs[repeat];
      if (!finished(id) || finished(settings[1 - one].runs[repeat])) continue;
      plan.notes.push_back("run " + id + " (" + settings[one].key +
                           ") is trained again beside the other of its pair");
      settings[one].left_out.push_back(std::exchange(id, {}));
    }
  }
}

/// Notes each difference between the recipe and the existing runs.
void note_changes(const fs::path& runs_dir, StudyPlan& plan) {
  for (const StudySetting& setting : plan.study.settings) {
    const auto* planned = setting_of(plan.planned, setting.key);
    std::int64_t repeat = 0;
    for (const std::string& id : setting.runs) {
      ++repeat;
      const auto spec = id.empty() || planned == nullptr
                            ? Result<RunSpec>(failure("none"))
                            : runs::read_spec(runlog::RunFolder(runs_dir / id));
      if (!spec) continue;
      for (const auto& one :
           messages::differences(repeat_of(setting, planned->spec, repeat), *spec)) {
        if (one.key == "name" || one.key.starts_with("baseline.") || one.key.starts_with("limits."))
          continue;
        plan.notes.push_back(setting.key + ": " + one.key + " = " + one.left + ", in run " + id +
                             " " + one.right);
      }
      break;
    }
  }
}

/// Requests every setting that the study has, so that each can be planned.
void cover(const Study& study, launch::StudyRequest& request) {
  std::set<launch::WorldSize> world(request.world.begin(), request.world.end());
  for (const StudySetting& one : study.settings) {
    const std::string series = one.series();
    request.weak = request.weak || series == "weak";
    request.strong = request.strong || series == "strong";
    if (series == "weak" || series == "strong") world.insert({one.devices(), one.nodes()});
    if (series == "weak" || series == "strong" || one.is_baseline()) continue;
    const launch::StudyVariant variant{series, one.devices()};
    if (std::ranges::find(request.variants, variant) == request.variants.end())
      request.variants.push_back(variant);
  }
  request.world.assign(world.begin(), world.end());
}

/// Requests the series that the study measures if none are named.
void default_series(const Study& study, launch::StudyRequest& request) {
  if (request.weak || request.strong) return;
  for (const StudySetting& one : study.settings) {
    request.weak = request.weak || one.series() == "weak";
    request.strong = request.strong || one.series() == "strong";
  }
}

Result<RunSpec> recipe_of(const fs::path& runs_dir, const Study& study) {
  const std::string id = study.baseline_run();
  if (id.empty())
    return bad_request("study " + study.head.study + " has no run of its baseline to go on from");
  auto spec = RINGSIDE_TRY(runs::read_spec(runlog::RunFolder(runs_dir / id)));
  spec.baseline = {};
  spec.name.clear();
  if (!study.ask.command.empty()) spec.program.argv = study.ask.command;
  return spec;
}

Result<launch::PlannedSettings> combinations_of_runs(const fs::path& runs_dir, const Study& study) {
  launch::PlannedSettings planned;
  for (const StudySetting& one : study.settings) {
    std::int64_t repeat = 0;
    for (const std::string& id : one.runs) {
      ++repeat;
      auto spec = id.empty() ? Result<RunSpec>(failure("none"))
                             : runs::read_spec(runlog::RunFolder(runs_dir / id));
      if (!spec) continue;
      spec->baseline = {};
      spec->baseline.mode = "none";
      spec->name.clear();
      spec->train.seed -= seeds_on(one, *spec, repeat);
      planned.settings.push_back({one.key, std::move(*spec), {}});
      break;
    }
    if (setting_of(planned, one.key) == nullptr)
      return bad_request("study " + study.head.study + " has no run of " + one.series() +
                         " to go on from; start a new study");
  }
  return planned;
}

Result<launch::PlannedSettings> all_combinations(const fs::path& runs_dir, const Study& study,
                                                 const RunSpec& recipe,
                                                 const launch::StudyRequest& request,
                                                 const launch::Machine& machine) {
  auto planned = RINGSIDE_TRY(combinations_of_runs(runs_dir, study));
  if (request.combinations.empty()) return planned;
  auto more = RINGSIDE_TRY(launch::plan_combinations(recipe, request, machine));
  for (launch::PlannedSetting& one : more.settings)
    if (setting_of(planned, one.key) == nullptr) planned.settings.push_back(std::move(one));
  return planned;
}

void add_settings(const launch::PlannedSettings& wanted, StudyPlan& plan) {
  for (const launch::PlannedSetting& one : wanted.settings) {
    if (plan.study.find(one.key) == nullptr) plan.study.settings.push_back({one.key, {}, {}, {}});
  }
  for (StudySetting& one : plan.study.settings)
    one.runs.resize(static_cast<std::size_t>(plan.study.head.repeats));
}

/// Returns the study's own runs. An adopted run does not show where the study's runs are started.
std::vector<std::string> own_runs(const Study& study) {
  std::vector<std::string> ids;
  for (const StudySetting& one : study.settings) {
    for (const std::string& id : one.runs)
      if (std::ranges::count(one.adopted, id) == 0) ids.push_back(id);
  }
  return ids;
}

/// Completes the plan: runs to train, whether they fit on the machine, and how long they take.
Result<void> complete(const fs::path& runs_dir, const StudyPlanRequest& plan_request,
                      const std::map<std::string, KnownRun>& known, StudyPlan& plan) {
  if (const auto added = add_missing(runs_dir, plan_request, known, plan); !added) return added;
  for (std::size_t i = 0; i < plan.places.size(); ++i) {
    const auto fits = plan.where->fits(plan.places[i].key, plan.plan.runs[i].spec);
    if (!fits) return fits;
  }
  plan.seconds = estimate(plan, known);
  return {};
}

/// Plans a single run of the recipe, after its baseline if it needs one.
Result<StudyPlan> plan_one(const fs::path& runs_dir, const StudyPlanRequest& plan_request,
                           const launch::Machine& machine) {
  StudyPlan plan;
  plan.where = plan_request.where;
  EarlierRuns earlier(runs_dir, plan_request.earlier);
  const auto newest = [&](const auto& fits) { return earlier.newest(fits); };
  auto planned = RINGSIDE_TRY(launch::plan_setting(
      plan_request.spec, machine,
      [&](const std::string& text) { return find_earlier(runs_dir, text, plan_request.earlier); },
      plan_request.where->is_here() ? launch::FindEqual(newest) : launch::FindEqual()));
  plan.plan = std::move(planned);
  launch::keep_source(plan.plan, plan_request.preset);
  plan.places.resize(plan.plan.runs.size());
  return plan;
}

}  // namespace

std::optional<launch::Typed> asked_before(const fs::path& runs_dir, const Study& study) {
  return place::asked_before(runs_dir, own_runs(study));
}

Result<StudyPlan> plan_study(const fs::path& runs_dir, const StudyPlanRequest& plan_request,
                             const launch::Machine& machine) {
  if (plan_request.quick) {
    const auto ready =
        launch::readiness(plan_request.preset, plan_request.spec, *plan_request.quick, machine);
    if (!ready.ready) return bad_request(ready.why + (ready.then.empty() ? "" : "; " + ready.then));
  }
  if (plan_request.request.one_setting) return plan_one(runs_dir, plan_request, machine);
  auto planned =
      RINGSIDE_TRY(launch::plan_settings(plan_request.spec, plan_request.request, machine));
  if (planned.settings.size() < 2 && plan_request.request.world.size() < 2 &&
      plan_request.request.variants.empty() && plan_request.ask.library.empty())
    return bad_request("a study needs more than one device: --world 1,2,4");
  StudyPlan plan;
  plan.where = plan_request.where;
  plan.planned = std::move(planned);
  plan.study.head = {{},
                     plan_request.title,
                     plan_request.preset.name,
                     SystemClock().wall_ns(),
                     plan_request.request.repeats,
                     plan_request.looks,
                     plan_request.budget_s,
                     plan_request.least_gain};
  plan.study.ask = plan_request.ask;
  add_settings(plan.planned, plan);
  if (plan_request.adopt && plan_request.where->is_here()) adopt(runs_dir, machine, plan);
  const auto known = known_runs(runs_dir, plan.study);
  RINGSIDE_TRY(complete(runs_dir, plan_request, known, plan));
  return plan;
}

Result<StudyPlan> plan_more(const fs::path& runs_dir, const Study& study,
                            const StudyPlanRequest& asked, const launch::Machine& here) {
  StudyPlanRequest plan_request = asked;
  const bool more = !plan_request.request.world.empty() || !plan_request.request.variants.empty();
  if (more && study.of_settings())
    return bad_request("study " + study.head.study +
                       " compares settings on one number of devices; --repeats adds runs of each, "
                       "numbers of devices are a study of their own");
  auto recipe = RINGSIDE_TRY(recipe_of(runs_dir, study));
  const auto found =
      RINGSIDE_TRY(plan_request.where->to_go_on(study.head.study, runs_dir, own_runs(study)));
  const auto where = RINGSIDE_TRY(found->for_study(recipe, plan_request.request));
  plan_request.where = where;
  // The study may continue in another place than the one that was checked.
  const auto machine = plan_request.where->is_here() ? Result<launch::Machine>(here)
                                                     : plan_request.where->machine({});
  if (!machine) return pass(machine);
  if (auto preset = copied_preset(runs_dir, study.settings, study.head.recipe))
    plan_request.preset = std::move(*preset);
  const auto known = known_runs(runs_dir, study);
  for (const auto& [id, run] : known) {
    if (run.live)
      return bad_request("study " + study.head.study + " goes on with run " + id +
                         "; `ringside stop " + study.head.study + "` stops it");
    // A run that did not finish is trained again, with the program's current version.
    if (run.state != "finished") continue;
    const runlog::RunFolder folder(runs_dir / id);
    const auto spec = runs::read_spec(folder);
    const std::string why = spec ? launch::edited_since(folder, spec->program) : std::string();
    if (!why.empty())
      return bad_request("study " + study.head.study + " measured another program: " + why +
                         " run " + id + "; start a new study");
  }
  StudyPlan plan;
  plan.where = plan_request.where;
  plan.study = study;
  plan.before = runs::study_text(study);
  plan.study.problem.clear();
  plan.study.head.repeats = std::max(study.head.repeats, plan_request.request.repeats);
  leave_out(known, plan);
  leave_out_partners(known, plan);
  launch::StudyRequest request = plan_request.request;
  default_series(study, request);
  if (more) {
    const auto wanted = RINGSIDE_TRY(launch::plan_settings(recipe, request, *machine));
    add_settings(wanted, plan);
  }
  cover(plan.study, request);
  auto planned = study.of_settings() ? all_combinations(runs_dir, study, recipe, request, *machine)
                                     : launch::plan_settings(recipe, request, *machine);
  if (!planned) return pass(planned);
  plan.planned = std::move(*planned);
  if (study.of_settings()) add_settings(plan.planned, plan);
  note_changes(runs_dir, plan);
  const bool grows = more || !request.combinations.empty();
  if (plan_request.adopt && plan_request.where->is_here() && grows) adopt(runs_dir, *machine, plan);
  RINGSIDE_TRY(complete(runs_dir, plan_request, known, plan));
  return plan;
}

}  // namespace ringside::session
