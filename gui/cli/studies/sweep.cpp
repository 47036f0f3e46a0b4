// `ringside sweep`: a study of one recipe on several numbers of devices, or with several values of
// its settings, from its plan to its table; and going on with one.
#include <algorithm>
#include <optional>

#include "gui/analysis/scaling/pairs.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/machines/srun_tasks.h"
#include "gui/cli/print/live_text.h"
#include "gui/cli/print/study_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/cli/studies/sweep.h"
#include "gui/cli/watch.h"
#include "gui/launch/combinations/combinations.h"
#include "gui/place/run_place.h"
#include "gui/session/quick_fit.h"
#include "gui/session/studies/export_study.h"
#include "gui/session/studies/study_fit.h"
#include "gui/session/studies/study_reader.h"
#include "gui/session/studies/study_start.h"
#include "gui/session/studies/study_wish.h"
#include "gui/view/scaling/combinations.h"
#include "protocol/base/time_span.h"

namespace ringside::cli {
namespace {

/// What was asked for on the command line goes before what a ready-made study says.
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

/// The option that makes it a study of devices; nothing: none does.
const char* devices_option(const StudyOptions& options) {
  if (options.world) return "--world";
  if (options.variants) return "--variants";
  if (options.weak) return "--weak";
  if (options.strong) return "--strong";
  return options.both ? "--both" : nullptr;
}

/// Settings of several values, which make a study of their combinations.
Result<launch::AskedSettings> asked_settings(const StudyOptions& options) {
  launch::AskedSettings asked;
  asked.fixed = options.sets;
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

/// Recipe of a command's study: the numbers of devices are those of --world.
Result<session::StudyWish> script_wish(const StudyOptions& options,
                                       const launch::AskedSettings& asked,
                                       const launch::Machine& machine) {
  ScriptOptions script = options.script;
  const bool of_devices = asked.swept.empty() && options.looks == 0;
  if (of_devices) script.ranks = 1;
  const std::string title = options.name.value_or(std::string());
  auto settings = RINGSIDE_TRY(script_settings(script, title, machine));
  return session::script_wish(std::move(settings), asked.fixed, title);
}

std::optional<launch::Draw> draw_of(const StudyOptions& options) {
  if (options.random <= 0) return std::nullopt;
  return launch::Draw{static_cast<std::uint64_t>(options.random),
                      static_cast<std::uint64_t>(options.seed)};
}

/// The second command beside the recipe of the first.
Result<void> add_other(const StudyOptions& options, const launch::AskedSettings& asked,
                       const launch::Machine& machine, session::StudyWish& recipe) {
  StudyOptions second = options;
  second.script.command = options.other;
  auto other = RINGSIDE_TRY(script_wish(second, asked, machine));
  return session::make_two(recipe, std::move(other.spec), {"command=A"}, {"command=B"});
}

/// A study of pairs has two settings, and no run of before, whose machine was another one.
Result<void> make_pairs(const StudyOptions& options, session::StudyWish& recipe) {
  const std::size_t settings = recipe.request.combinations.size();
  if (settings != 2)
    return bad_request((settings == 0
                            ? std::string("what is to be compared? ")
                            : std::to_string(settings) + " settings are too many, `ringside sweep` "
                                                         "compares them. ") +
                       kWhatAbCompares);
  recipe.request.repeats = options.looks > 1 ? analysis::kLooks.front() : options.repeats;
  recipe.looks = options.looks;
  recipe.budget_s = options.budget_s;
  return {};
}

/// What is named, before it becomes a study.
Result<session::StudyWish> named_recipe(const StudyOptions& options,
                                        const launch::AskedSettings& asked,
                                        const launch::Machine& machine) {
  const std::string title = options.name.value_or(std::string());
  if (!options.second_run.empty())
    return session::wish_of_runs(options.runs_folder(), options.what, options.second_run, title);
  if (options.script.command.empty())
    return session::read_wish(options.what, options.quick, asked.fixed, title);
  return script_wish(options, asked, machine);
}

Result<session::StudyWish> read_recipe(const StudyOptions& options,
                                       const launch::AskedSettings& asked,
                                       const place::Place& where, const launch::Machine& machine) {
  auto recipe = named_recipe(options, asked, machine);
  if (!recipe) return pass(recipe);
  RINGSIDE_TRY(read_request(options, recipe->request));
  if (!asked.swept.empty()) {
    RINGSIDE_TRY(
        session::add_combinations(*recipe, asked.swept, draw_of(options), options.repeats));
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

/// What there is of the study, as files; how many is said where it disturbs no JSON.
Result<void> write_files(const StudyOptions& options, const std::string& study) {
  const auto to = RINGSIDE_TRY(runlog::whole_path(*options.files, "--export"));
  const auto written =
      RINGSIDE_TRY(session::export_study_files(options.runs_folder(), study, to, true));
  for (const auto& file : written) print(stderr, "Wrote " + file.path.string() + "\n");
  return {};
}

/// What was estimated before the start goes with the rest.
Json with_expected(Json json, const launch::Plan& plan) {
  if (const double seconds = launch::expected_s(plan); seconds > 0) json["expected_s"] = seconds;
  return json;
}

/// Starts what is planned, stays until it has ended, prints the table.
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
  const auto more =
      session::train_more_pairs(pair_work(options, machine, interrupts), reader, facts);
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

Result<void> check_place(const StudyOptions& options) {
  RINGSIDE_TRY(check_place_options(options.place, true));
  const place::Kind* const kind = options.place.chosen();
  if (kind == nullptr || !options.virtual_nodes) return {};
  return bad_request("--virtual-nodes puts all nodes on this host, " + std::string(kind->word) +
                     " on its own: take one");
}

/// What the options say, before anything is looked at.
Result<void> check_options(const StudyOptions& options) {
  if (options.name && !is_utf8(*options.name)) return bad_request("--name is not valid UTF-8");
  RINGSIDE_TRY(
      check_script_options(options.script, options.what, options.looks > 0 ? "ab" : "sweep"));
  RINGSIDE_TRY(check_place(options));
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

/// A quick form is fitted to this machine.
Result<session::StudyPlan> fit_sweep(const StudyOptions& options, const session::StudyWish& recipe,
                                     session::StudyPlan plan, const launch::Machine& machine,
                                     const Interrupts& interrupts) {
  session::StudyFitWish wish;
  wish.chosen_size = session::chooses_size(launch::process_environment(), options.sets);
  wish.chosen_settings = options.world || options.variants || !recipe.request.combinations.empty();
  wish.probing = tell_probing;
  wish.cancelled = [&] { return interrupts.any(); };
  return session::fit_study(options.runs_folder(), recipe, std::move(plan), machine, wish);
}

}  // namespace

void add_budget(Command& command, std::string& budget, const std::string& help) {
  command.add_option("--budget", budget, help).type("TIME").valid([](const std::string& text) {
    return time_span_ns(text).value_or(0) > 0 ? std::string()
                                              : "write 90s, 10m, 2h or 1d, not " + text;
  });
}

double budget_seconds(const std::string& budget) {
  return static_cast<double>(*time_span_ns(budget)) * 1e-9;
}

Result<session::StudyWish> recipe_of(const StudyOptions& options, const launch::Machine& machine) {
  RINGSIDE_TRY(check_options(options));
  const auto asked = RINGSIDE_TRY(asked_settings(options));
  return named_recipe(options, asked, machine);
}

session::PairWork pair_work(const StudyOptions& options, const launch::Machine& machine,
                            const Interrupts& interrupts) {
  session::PairWork work{options.runs_folder(), machine};
  work.say = [](const std::vector<std::string>& sentences) {
    for (const std::string& one : sentences) print(stderr, one + "\n");
  };
  work.stay = [&interrupts](const session::StartedStudy& started) {
    stay(started.runs, started.plan.plan, interrupts);
  };
  work.cancelled = [&interrupts] { return interrupts.any(); };
  return work;
}

Result<int> sweep(const StudyOptions& options) {
  RINGSIDE_TRY(check_options(options));
  const auto asked = RINGSIDE_TRY(asked_settings(options));
  RINGSIDE_TRY(refuse_tasks("start it without srun, with --slurm in the allocation"));
  const bool more = !runs::study_name(options.what).empty();
  session::StudyWish wish;
  wish.request.repeats = 0;
  RINGSIDE_TRY(read_request(options, wish.request));
  if (more && (options.quick || options.virtual_nodes || !options.sets.empty()))
    return bad_request(
        "the recipe of a study is locked: no --set, --virtual-nodes and --quick with "
        "its name");
  const Interrupts interrupts;
  const auto cancelled = [&] { return interrupts.any(); };
  auto where = more && options.place.chosen() == nullptr ? place::around_here(cancelled)
                                                         : place_of(options.place, cancelled);
  if (!where) return pass(where);
  wish.where = std::move(*where);
  const auto machine = wish.where->machine(cancelled);
  if (interrupts.any()) return gave_up(interrupts, kNothingStarted);
  if (!machine) return pass(machine);
  auto recipe = more ? Result<session::StudyWish>(failure("of the study"))
                     : read_recipe(options, asked, *wish.where, *machine);
  if (!more && !recipe) return pass(recipe);
  const auto study = RINGSIDE_TRY(more ? runs::read_study(options.runs_folder(), options.what)
                                       : Result<runs::Study>(runs::Study{}));
  if (more && wish.request.repeats == 0)
    wish.request.repeats = session::pairs_to_come(options.runs_folder(), study);
  if (more) place::refresh(options.runs_folder());  // which of its jobs wait still
  wish.adopt = !options.fresh && options.looks == 0;
  if (recipe) recipe->adopt = wish.adopt;
  auto plan = more ? session::plan_more(options.runs_folder(), study, wish, *machine)
                   : session::plan_study(options.runs_folder(), *recipe, *machine);
  if (!plan) return pass(plan);
  if (options.quick && !options.dry_run) {
    plan = fit_sweep(options, *recipe, std::move(*plan), *machine, interrupts);
    if (!plan) return not_done(interrupts, plan.error(), kNothingStarted);
  }
  return carry_through(options, std::move(*plan), *machine, interrupts);
}

void add_sweep(Command& app) {
  auto options = std::make_shared<StudyOptions>();
  Command command = app.add_command(
      "sweep",
      "Measure a recipe on several numbers of devices, or with several values of its settings, "
      "as a study.\n"
      "A command behind -- is a recipe, too: ringside sweep --world 1,2 -- python train.py");
  command
      .add_option("PRESET|FILE.toml|STUDY", options->what,
                  "A preset, a settings file, a ready-made study (e0_bonus, e2_table, "
                  "e3_figures, e4_figure), or a study to which settings are added (S-07)")
      .type("");
  add_script_options(command, options->script);
  command
      .add_option("--world", options->world,
                  "Numbers of devices, e.g. 1,2,4,8; 1 is the baseline; 2x4: two nodes of four")
      .type("N,N,...");
  command
      .add_option("--repeats", options->repeats,
                  "Runs of each setting (default: 3; 1 where settings have several values)")
      .type("N")
      .range(1, 100);
  command.add_flag("--weak", options->weak, "Keep the batch per device");
  command.add_flag("--strong", options->strong, "Keep the global batch");
  command.add_flag("--both", options->both,
                   "Measure both; default: as the recipe's batch is meant");
  command
      .add_option("--variants", options->variants,
                  "The largest of them also with dp, fp32, tf32, bf16 or fp16; dp@4: on 4 devices")
      .type("WORD,...");
  command
      .add_option("--set", options->sets,
                  "Change a setting of the recipe, e.g. --set train.epochs=5 (repeatable); of "
                  "several values all combinations are trained: --set optimizer.lr=0.01,0.03; of a "
                  "command they go where {KEY} stands in its arguments")
      .type("KEY=VALUE,...")
      .repeatable();
  command
      .add_option("--random", options->random,
                  "So many of the combinations, drawn by chance and none twice")
      .type("N")
      .range(2, 200);
  command.add_option("--seed", options->seed, "Another draw of --random (default: 0)")
      .type("N")
      .range(0, 1'000'000'000);
  command.add_flag(
      "--quick", options->quick,
      "The recipe's small scale: CPU ranks and generated data, fitted to this machine");
  command.add_flag("--virtual-nodes", options->virtual_nodes,
                   "Put all nodes of a run on this host: a rehearsal without a network");
  command.add_option("--name", options->name, "Name to show").type("TEXT");
  command.add_flag("--fresh", options->fresh, "Train every run: do not reuse equal earlier runs");
  command.add_flag("--detach", options->detach, "Return at once; the runs go on in the background");
  command
      .add_option("--export", options->files,
                  "Write the study into this folder when it has ended: HTML, Markdown, tables as "
                  "CSV, charts as SVG; files of its name there are replaced")
      .type("DIR")
      .excludes(command.option("--detach"));
  command.add_flag("--dry-run", options->dry_run,
                   "Print the settings of every run, and with --slurm the jobs or steps; start "
                   "nothing");
  add_place_options(command, options->place);
  add_json(command, *options, "Last line on standard output is one JSON object");
  add_runs_dir(command, *options);
  command.footer(
      "Runs go one after the other, repeat by repeat, the baseline first; they need no viewer.\n"
      "`ringside resume STUDY` goes on after a stop or a restart of the machine, `ringside show "
      "STUDY` prints the table,\n`ringside report STUDY --html FILE` writes it.");
  add_on(command, *options, "On another machine: its presets and studies")
      .excludes(command.option("--export"));
  command.action_with_words([options](const std::vector<std::string>& typed) {
    if (options->on.empty()) return sweep(*options);
    return run_there(*options, typed, Errand::kStay,
                     options->script.command.empty() ? options->what : "");
  });
}

}  // namespace ringside::cli
