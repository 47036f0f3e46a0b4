// `ringside try` measures changes that may make the same work quicker. Each change is measured in
// pairs of runs against the recipe with the changes kept so far.
#include <algorithm>
#include <memory>

#include "gui/analysis/scaling/pairs.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/cli/studies/sweep.h"
#include "gui/launch/studies/combinations.h"
#include "gui/runs/find_run.h"
#include "gui/session/studies/plan_request.h"
#include "gui/session/studies/try_changes.h"

namespace ringside::cli {
namespace {

struct TryOptions : StudyOptions {
  std::string budget = "10m";
  bool other_numbers = false;
};

void print_table(const view::Table& table, bool json) {
  print(stdout, json ? dump(table_json(table)) + "\n" : tables_text({table}, wants_color(stdout)));
}

/// A run is tried with its own settings; anything else is parsed as `ringside ab` does.
Result<session::TryRequest> read_try_request(const TryOptions& options,
                                             const launch::Machine& machine) {
  session::TryRequest request;
  request.budget_s = budget_seconds(options.budget);
  request.other_numbers = options.other_numbers;
  RINGSIDE_TRY(check_script_options(options.script, options.what, "try"));
  const auto preset = launch::load_preset(options.what);
  const bool named = !options.what.empty() && !preset;
  const auto run = named ? runs::find_run(options.runs_folder(), options.what)
                         : Result<runs::ListedRun>(bad_request("no run"));
  if (run) {
    if (!options.sets.empty() || options.quick)
      return bad_request("a run is trained again as it was: no --set and --quick with it");
    request.as_it_is = run->folder.id();
    request.recipe =
        RINGSIDE_TRY(session::plan_request_of_run(options.runs_folder(), options.what));
  } else {
    const bool file =
        options.what.find('/') != std::string::npos || options.what.ends_with(".toml");
    if (named && !file)
      return bad_request("there is no run \"" + one_line(options.what) + "\", and " +
                         preset.error().message);
    request.recipe = RINGSIDE_TRY(recipe_of(options, machine));
  }
  return request;
}

/// Prints the changes that would be tried; for a recipe without a run, all that fit it.
Result<int> print_candidates(const TryOptions& options, const session::TryRequest& request,
                             const launch::Machine& machine) {
  session::AsItIs known;
  const messages::RunSpec& spec = request.recipe.spec;
  if (!request.as_it_is.empty())
    known = RINGSIDE_TRY(session::look_at_run(options.runs_folder(), request.as_it_is));
  print_table(
      view::candidates_table(launch::candidates(spec, machine, options.other_numbers, known.shown),
                             launch::only_outside(spec, known.shown)),
      options.json);
  return 0;
}

Result<int> try_out(const TryOptions& typed) {
  TryOptions options = typed;
  options.looks = static_cast<std::int64_t>(analysis::kChecks.size());
  if (options.what.empty() && options.script.command.empty())
    return bad_request(
        "what is to become quicker? A preset, a settings file, a run, or a command: ringside "
        "try --ranks 2 -- python train.py");
  const auto asked = RINGSIDE_TRY(launch::parse_settings(options.sets));
  if (!asked.swept.empty())
    return bad_request(
        "--set " + asked.swept.front().name +
        " has several values, and changes are tried against one recipe: give it one");
  const Interrupts interrupts;
  const auto machine = launch::read_machine([&] { return interrupts.any(); });
  if (interrupts.any()) return gave_up(interrupts, kNothingStarted);
  if (!machine) return pass(machine);
  const auto request = RINGSIDE_TRY(read_try_request(options, *machine));
  if (options.dry_run) return print_candidates(options, request, *machine);
  view::Tries tries;
  const auto told = [&](const view::Tries& now) {
    if (!now.doing.empty() && now.doing != tries.doing) print(stderr, "Trying " + now.doing + "\n");
    tries = now;
  };
  const auto best = session::try_changes(study_work(options, *machine, interrupts), request, told);
  if (!best) return not_done(interrupts, best.error(), "nothing was tried");
  print_table(view::tried_table(tries), options.json);
  if (interrupts.any()) return interrupts.exit_code();
  if (!tries.failed.empty()) return 1;
  const bool failed = std::ranges::any_of(tries.changes, [](const view::TriedChange& one) {
    return !one.study.empty() && !one.why_not.empty();
  });
  return failed ? 1 : 0;
}

}  // namespace

void add_try(Command& app) {
  auto options = std::make_shared<TryOptions>();
  Command command = app.add_command(
      "try",
      "Try what may make the same work quicker, one change after another, each in pairs of short "
      "runs");
  command.add_option("PRESET|FILE.toml|RUN", options->what,
                     "A preset, a settings file, or a run, whose steps say what to try first");
  add_script_options(command, options->script);
  command.add_option("--ranks N", options->script.ranks, "With -- COMMAND: the number of ranks")
      .range(1, 4096);
  command.add_option("--set KEY=VALUE", options->sets, "A setting of the recipe (repeatable)")
      .repeatable();
  add_budget(command, options->budget,
             "Begin no change and no more pairs that would take longer than this in all: 90s, "
             "10m, 2h, 1d (default: 10m)");
  command.add_flag("--other-numbers", options->other_numbers,
                   "Changes too with which it computes in another precision or order");
  command.add_flag("--quick", options->quick,
                   "The recipe's small scale: CPU ranks and generated data");
  command.add_flag("--dry-run", options->dry_run, "Print what would be tried; start nothing");
  add_json(command, *options, "Last line on standard output is one JSON object");
  add_runs_dir(command, *options);
  command.footer(
      "A first run of the recipe, or the one that is named, says where its steps spend their time; "
      "what can save most is\ntried first, and what is certainly quicker by 3 % or more stays for "
      "those behind it. A script gets arguments\nof its calls without a changed line. Each change "
      "is a study of pairs, as `ringside ab` makes them:\n`ringside show STUDY`. Exit codes: 0 all "
      "runs finished, whatever the result; 1 one failed; 2 the request was wrong.");
  add_on(command, *options, "On another machine: its presets and runs");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    if (options->on.empty()) return try_out(*options);
    return run_remotely(*options, typed, CommandKind::kStay,
                        options->script.command.empty() ? options->what : "");
  });
}

}  // namespace ringside::cli
