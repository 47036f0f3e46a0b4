// `ringside sweep` plans, trains and prints a study of one recipe on several numbers of devices, or
// with several values of its settings; it also continues an existing study.
#include <algorithm>
#include <optional>

#include "gui/analysis/scaling/pairs.h"
#include "gui/cli/command/watch.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/machines/srun_tasks.h"
#include "gui/cli/print/live_text.h"
#include "gui/cli/print/study_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/cli/studies/sweep.h"
#include "gui/launch/studies/ask_library.h"
#include "gui/place/run_place.h"
#include "gui/session/quick_fit.h"
#include "gui/session/studies/export_study.h"
#include "gui/session/studies/next_trial.h"
#include "gui/session/studies/plan_request.h"
#include "gui/session/studies/study_fit.h"
#include "gui/session/studies/study_reader.h"
#include "gui/session/studies/study_start.h"
#include "gui/view/scaling/combinations.h"
#include "protocol/base/time_span.h"

namespace ringside::cli {
namespace {

constexpr int kUsualTrials = 20;

/// Reads the request. Options of the command line override those of a ready-made study.
Result<void> read_request(const StudyOptions& options, launch::StudyRequest& request) {
  if (options.world) {
    auto world = RINGSIDE_TRY(launch::parse_world(*options.world));
    request.world = std::move(world);
  }
  if (options.variants) {
    auto variants = RINGSIDE_TRY(launch::parse_variants(*options.variants));
    request.variants = std::move(variants);
  }
  if (options.repeats > 0) request.repeats = options.repeats;
  if (options.weak || options.strong || options.both) {
    request.weak = options.weak || options.both;
    request.strong = options.strong || options.both;
  }
  return {};
}

/// Returns the option that makes this a study of devices; null if none does.
const char* devices_option(const StudyOptions& options) {
  if (options.world) return "--world";
  if (options.variants) return "--variants";
  if (options.weak) return "--weak";
  if (options.strong) return "--strong";
  return options.both ? "--both" : nullptr;
}

/// Parses the settings with several values, which make this a study of their combinations.
Result<launch::AskedSettings> asked_settings(const StudyOptions& options) {
  launch::AskedSettings asked;
  asked.fixed = options.sets;
  if (!options.ask.empty()) {
    auto space = RINGSIDE_TRY(launch::parse_space(options.sets));
    asked.fixed = std::move(space.fixed);
    return asked;
  }
  if (const char* const devices = devices_option(options)) {
    RINGSIDE_TRY(launch::refuse_several(options.sets, devices));
  } else {
    asked = RINGSIDE_TRY(launch::parse_settings(options.sets));
  }
  if (options.random > 0 && asked.swept.empty())
    return bad_request(
        "--random draws from the combinations of several values: --set optimizer.lr=0.01,0.03,0.1");
  return asked;
}

/// Returns the recipe of a study of a person's command; --world gives its numbers of devices.
Result<session::StudyPlanRequest> script_plan_request(const StudyOptions& options,
                                                      const launch::AskedSettings& asked,
                                                      const launch::Machine& machine) {
  ScriptOptions script = options.script;
  const bool of_devices = asked.swept.empty() && options.looks == 0 && options.ask.empty();
  if (of_devices) script.ranks = 1;
  const std::string title = options.name.value_or(std::string());
  auto settings = RINGSIDE_TRY(script_settings(script, title, machine));
  return session::script_plan_request(std::move(settings), asked.fixed, title);
}

std::optional<launch::Draw> draw_of(const StudyOptions& options) {
  if (options.random <= 0) return std::nullopt;
  return launch::Draw{static_cast<std::uint64_t>(options.random),
                      static_cast<std::uint64_t>(options.seed)};
}

/// Makes this a study whose settings a library proposes, and asks the library for the first ones.
Result<void> add_asked(const StudyOptions& options, const launch::Cancelled& cancelled,
                       session::StudyPlanRequest& recipe) {
  const auto space = RINGSIDE_TRY(launch::parse_space(options.sets));
  const int trials = options.trials > 0 ? options.trials : kUsualTrials;
  if (space.size() < trials)
    return bad_request("--trials " + std::to_string(trials) + ": there are only " +
                       std::to_string(static_cast<std::int64_t>(space.size())) +
                       " combinations; ask for fewer, or train each of them without --ask");
  if (!options.best.empty()) RINGSIDE_TRY(view::check_best(options.best));
  recipe.ask = {options.ask,  trials,       space.vary,
                options.seed, options.best, recipe.spec.program.argv};
  view::StudyFacts nothing;
  nothing.study.ask = recipe.ask;
  const auto first = RINGSIDE_TRY(session::next_trial(nothing, cancelled));
  return session::add_combinations(recipe, *first, {}, options.repeats);
}

/// Adds the second command, which the recipe of the first is compared with.
Result<void> add_other(const StudyOptions& options, const launch::AskedSettings& asked,
                       const launch::Machine& machine, session::StudyPlanRequest& recipe) {
  StudyOptions second = options;
  second.script.command = options.other;
  auto other = RINGSIDE_TRY(script_plan_request(second, asked, machine));
  return session::make_two(recipe, std::move(other.spec), {"command=A"}, {"command=B"});
}

/// Makes this a study of pairs. It has two settings and reuses no earlier runs, since those may
/// have met a machine in another state.
Result<void> make_pairs(const StudyOptions& options, session::StudyPlanRequest& recipe) {
  const std::size_t settings = recipe.request.combinations.size();
  if (settings != 2)
    return bad_request((settings == 0
                            ? std::string("what is to be compared? ")
                            : std::to_string(settings) + " settings are too many, `ringside sweep` "
                                                         "compares them. ") +
                       kWhatAbCompares);
  recipe.request.repeats = options.looks > 1 ? analysis::kChecks.front() : options.repeats;
  recipe.looks = options.looks;
  recipe.budget_s = options.budget_s;
  return {};
}

Result<session::StudyPlanRequest> named_recipe(const StudyOptions& options,
                                               const launch::AskedSettings& asked,
                                               const launch::Machine& machine) {
  const std::string title = options.name.value_or(std::string());
  if (!options.second_run.empty())
    return session::plan_request_of_runs(options.runs_folder(), options.what, options.second_run,
                                         title);
  if (options.script.command.empty())
    return session::read_plan_request(options.what, options.quick, asked.fixed, title);
  return script_plan_request(options, asked, machine);
}

Result<session::StudyPlanRequest> read_recipe(const StudyOptions& options,
                                              const launch::AskedSettings& asked,
                                              const place::Place& where,
                                              const launch::Machine& machine,
                                              const launch::Cancelled& cancelled) {
  auto recipe = named_recipe(options, asked, machine);
  if (!recipe) return pass(recipe);
  RINGSIDE_TRY(read_request(options, recipe->request));
  if (!asked.swept.empty()) {
    RINGSIDE_TRY(
        session::add_combinations(*recipe, asked.swept, draw_of(options), options.repeats));
  }
  if (!options.ask.empty()) {
    RINGSIDE_TRY(add_asked(options, cancelled, *recipe));
  }
  if (!options.other.empty()) {
    if (!asked.swept.empty())
      return bad_request("--set " + asked.swept.front().name +
                         " has several values, and two commands are compared already: take one");
    RINGSIDE_TRY(add_other(options, asked, machine, *recipe));
  }
  if (options.looks > 0) {
    RINGSIDE_TRY(make_pairs(options, *recipe));
  }
  recipe = session::in_place(std::move(*recipe), where);
  if (!recipe) return pass(recipe);
  if (options.virtual_nodes) recipe->spec.devices.virtual_nodes = true;
  const launch::StudyRequest& request = recipe->request;
  if (request.world.empty() && request.variants.empty() && request.combinations.empty()) {
    return bad_request(
        (options.sets.empty()
             ? std::string("how many devices? ")
             : "--set " + one_line(options.sets.front()) + " has one value only: ") +
        "--world 1,2,4, or several values of a setting: --set optimizer.lr=0.01,0.03");
  }
  return recipe;
}

std::string plan_text(const session::StudyPlan& plan, const std::filesystem::path& runs_dir) {
  std::string text;
  for (const std::string& line : session::plan_lines(plan, runs_dir)) text += line + "\n";
  return text;
}

Result<int> dry_run(const StudyOptions& options, const session::StudyPlan& plan) {
  std::vector<TitledSettings> runs;
  for (const auto& run : plan.plan.runs) runs.emplace_back(one_line(run.spec.name), run.spec);
  return print_dry_run(runs, plan, options.runs_folder(), options.json);
}

/// Writes the files of the study; prints their number unless that would disturb JSON.
Result<void> write_files(const StudyOptions& options, const std::string& study) {
  const auto to = RINGSIDE_TRY(runlog::whole_path(*options.files, "--export"));
  const auto written =
      RINGSIDE_TRY(session::export_study_files(options.runs_folder(), study, to, true));
  for (const auto& file : written) print(stderr, "Wrote " + file.path.string() + "\n");
  return {};
}

/// Adds the estimates made before the start to the JSON.
Json with_expected(Json json, const launch::Plan& plan) {
  if (const double seconds = launch::expected_s(plan); seconds > 0) json["expected_s"] = seconds;
  return json;
}

/// Trains the planned study, waits until it has ended, prints its table.
Result<int> carry_through(const StudyOptions& options, session::StudyPlan plan,
                          const launch::Machine& machine, const Interrupts& interrupts) {
  const auto cancelled = [&] { return interrupts.any(); };
  print(stderr, plan_text(plan, options.runs_folder()));
  if (options.dry_run) return dry_run(options, plan);
  const auto warnings = RINGSIDE_TRY(session::check_plan(plan, machine, options.runs_folder()));
  for (const std::string& warning : warnings) print(stderr, "Warning: " + warning + "\n");
  if (cancelled()) return gave_up(interrupts, kNothingStarted);
  const auto started = session::start_study(options.runs_folder(), std::move(plan), cancelled);
  if (!started) return not_done(interrupts, started.error(), kNothingStarted);
  const runs::Study& study = started->plan.study;
  const launch::Plan& watched = started->plan.plan;
  const std::string& name = study.head.study;
  const std::string typed = name + where_found(options.runs_folder());
  if (options.detach) {
    if (options.json) {
      print(stdout, dump(with_expected(Json{{"study", name}}, watched)) + "\n");
    } else {
      print(stdout, name + " " + started->plan.where->doing() +
                        (started->plan.where->is_here() ? " in the background" : "") +
                        ". Look: ringside show " + typed + "   Stop: ringside stop " + typed +
                        "\n");
    }
    return 0;
  }
  stay(started->runs, watched, interrupts);
  session::StudyReader reader(options.runs_folder());
  view::StudyFacts facts = reader.read(study);
  const auto more = session::train_more(study_work(options, machine, interrupts), reader, facts);
  if (interrupts.leaving()) return left_alone(interrupts, options.runs_folder());
  print(stdout, options.json ? dump(with_expected(study_json(facts), watched)) + "\n"
                             : study_print(facts, wants_color(stdout)));
  if (interrupts.count() > 0) {
    print(stderr, "Stopped. Go on: ringside resume " + typed + "\n");
    return interrupts.exit_code();
  }
  if (!more) return pass(more);
  const bool whole = view::progress_of(facts).complete();
  if (facts.study.of_pairs() && !whole)
    print(stderr, "Some of its runs did not finish. Train those pairs again: ringside resume " +
                      typed + "\n");
  if (options.files) RINGSIDE_TRY(write_files(options, name));
  const bool sound = std::ranges::all_of(facts.settings, [](const auto& setting) {
    return std::ranges::none_of(setting.runs, &view::StudyRun::loss_broke);
  });
  return sound && whole ? 0 : 1;
}

/// Checks which options may be combined with a library that proposes settings.
Result<void> check_ask(const StudyOptions& options) {
  if (options.ask.empty()) {
    const char* const wrong = options.trials > 0      ? "--trials"
                              : !options.best.empty() ? "--best"
                                                      : nullptr;
    if (wrong == nullptr) return {};
    return bad_request(std::string(wrong) +
                       " goes with --ask optuna; `ringside show STUDY --best` ranks a study by "
                       "another metric");
  }
  RINGSIDE_TRY(launch::check_library(options.ask));
  if (!runs::study_name(options.what).empty())
    return bad_request("`ringside resume " + options.what + "` goes on with a study");
  const char* const wrong = options.random > 0                  ? "--random"
                            : options.detach                    ? "--detach"
                            : options.place.chosen() != nullptr ? "a queue"
                                                                : devices_option(options);
  if (wrong == nullptr) return {};
  return bad_request(std::string("--ask ") + options.ask + " and " + wrong +
                     " cannot be combined: what is proposed next follows from what each run has "
                     "measured here");
}

Result<void> check_place(const StudyOptions& options) {
  RINGSIDE_TRY(check_place_options(options.place, true));
  const place::Kind* const kind = options.place.chosen();
  if (kind == nullptr || !options.virtual_nodes) return {};
  return bad_request("--virtual-nodes puts all nodes on this host, " + std::string(kind->word) +
                     " on its own: take one");
}

/// Checks the options on their own, before any file is read.
Result<void> check_options(const StudyOptions& options) {
  if (options.name && !is_utf8(*options.name)) return bad_request("--name is not valid UTF-8");
  RINGSIDE_TRY(
      check_script_options(options.script, options.what, options.looks > 0 ? "ab" : "sweep"));
  RINGSIDE_TRY(check_place(options));
  RINGSIDE_TRY(check_ask(options));
  if (options.script.command.empty()) return {};
  if (options.quick)
    return bad_request("--quick is the small scale of a preset; a command has none");
  const char* wrong = options.strong ? "--strong" : options.both ? "--both" : "--variants";
  if (options.strong || options.both || options.variants) {
    return bad_request(std::string(wrong) +
                       " changes settings of our trainer; a command keeps its "
                       "batch and precision: leave it out");
  }
  return {};
}

Result<session::StudyPlan> fit_sweep(const StudyOptions& options,
                                     const session::StudyPlanRequest& recipe,
                                     session::StudyPlan plan, const launch::Machine& machine,
                                     const Interrupts& interrupts) {
  session::StudyFitRequest plan_request;
  plan_request.chosen_size = session::chooses_size(launch::process_environment(), options.sets);
  plan_request.chosen_settings =
      options.world || options.variants || !recipe.request.combinations.empty();
  plan_request.probing = tell_probing;
  plan_request.cancelled = [&] { return interrupts.any(); };
  return session::fit_study(options.runs_folder(), recipe, std::move(plan), machine, plan_request);
}

}  // namespace

void add_budget(Command& command, std::string& budget, const std::string& help) {
  command.add_option("--budget TIME", budget, help).valid([](const std::string& text) {
    return time_span_ns(text).value_or(0) > 0 ? std::string()
                                              : "write 90s, 10m, 2h or 1d, not " + text;
  });
}

double budget_seconds(const std::string& budget) {
  return static_cast<double>(*time_span_ns(budget)) * 1e-9;
}

Result<session::StudyPlanRequest> recipe_of(const StudyOptions& options,
                                            const launch::Machine& machine) {
  RINGSIDE_TRY(check_options(options));
  const auto asked = RINGSIDE_TRY(asked_settings(options));
  return named_recipe(options, asked, machine);
}

session::StudyWork study_work(const StudyOptions& options, const launch::Machine& machine,
                              const Interrupts& interrupts) {
  session::StudyWork work{options.runs_folder(), machine};
  work.say = [](const std::vector<std::string>& sentences) {
    for (const std::string& one : sentences) print(stderr, one + "\n");
  };
  work.stay = [&interrupts](const session::StartedStudy& started) {
    stay(started.runs, started.plan.plan, interrupts);
  };
  work.cancelled = [&interrupts] { return interrupts.any(); };
  work.adopt = !options.fresh;
  return work;
}

Result<int> sweep(const StudyOptions& options) {
  RINGSIDE_TRY(check_options(options));
  const auto asked = RINGSIDE_TRY(asked_settings(options));
  RINGSIDE_TRY(refuse_tasks("start it without srun, with --slurm in the allocation"));
  const bool more = !runs::study_name(options.what).empty();
  session::StudyPlanRequest plan_request;
  plan_request.request.repeats = 0;
  RINGSIDE_TRY(read_request(options, plan_request.request));
  if (more && (options.quick || options.virtual_nodes || !options.sets.empty()))
    return bad_request(
        "the recipe of a study is locked: no --set, --virtual-nodes and --quick with "
        "its name");
  const Interrupts interrupts;
  const auto cancelled = [&] { return interrupts.any(); };
  auto where = more && options.place.chosen() == nullptr ? place::around_here(cancelled)
                                                         : place_of(options.place, cancelled);
  if (!where) return pass(where);
  plan_request.where = std::move(*where);
  const auto machine = plan_request.where->machine(cancelled);
  if (interrupts.any()) return gave_up(interrupts, kNothingStarted);
  if (!machine) return pass(machine);
  auto recipe = more ? Result<session::StudyPlanRequest>(failure("of the study"))
                     : read_recipe(options, asked, *plan_request.where, *machine, cancelled);
  if (interrupts.any()) return gave_up(interrupts, kNothingStarted);
  if (!more && !recipe) return pass(recipe);
  const auto study = RINGSIDE_TRY(more ? runs::read_study(options.runs_folder(), options.what)
                                       : Result<runs::Study>(runs::Study{}));
  if (more && plan_request.request.repeats == 0)
    plan_request.request.repeats = session::pairs_to_come(options.runs_folder(), study);
  if (more) place::refresh(options.runs_folder());  // updates the study's waiting jobs
  plan_request.adopt = !options.fresh && options.looks == 0;
  if (recipe) recipe->adopt = plan_request.adopt;
  auto plan = more ? session::plan_more(options.runs_folder(), study, plan_request, *machine)
                   : session::plan_study(options.runs_folder(), *recipe, *machine);
  if (!plan) return pass(plan);
  if (options.quick && !options.dry_run) {
    plan = fit_sweep(options, *recipe, std::move(*plan), *machine, interrupts);
    if (!plan) return not_done(interrupts, plan.error(), kNothingStarted);
  }
  return carry_through(options, std::move(*plan), *machine, interrupts);
}

}  // namespace ringside::cli
