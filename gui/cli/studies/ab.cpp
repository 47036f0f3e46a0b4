// `ringside ab`: which of two settings, or of two commands, takes longer, by pairs of runs until
// the difference is clear.
#include <algorithm>
#include <memory>

#include "gui/analysis/scaling/pairs.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/terminal.h"
#include "gui/cli/studies/sweep.h"
#include "gui/runs/studies/study.h"
#include "protocol/base/text.h"

namespace ringside::cli {
namespace {

constexpr std::int64_t kMostPairs = 100;

struct AbOptions : StudyOptions {
  std::string pairs = "auto";
  std::string budget;
};

/// Splits the words after `--` into two commands at the second `--`.
Result<void> part_commands(StudyOptions& options) {
  std::vector<std::string>& first = options.script.command;
  const auto dashes = std::ranges::find(first, "--");
  if (dashes == first.end()) return {};
  options.other.assign(dashes + 1, first.end());
  first.erase(dashes, first.end());
  if (first.empty() || options.other.empty() || std::ranges::count(options.other, "--") > 0)
    return bad_request(
        "two commands are compared, each behind a --: ringside ab -- python a.py -- python b.py");
  return {};
}

Result<int> ab(const AbOptions& typed) {
  AbOptions options = typed;
  const bool often = options.pairs == "auto";
  options.looks = often ? static_cast<std::int64_t>(analysis::kChecks.size()) : 1;
  if (!often) options.repeats = static_cast<int>(*whole_number(options.pairs));
  if (!options.budget.empty()) options.budget_s = budget_seconds(options.budget);
  if (!runs::study_name(options.what).empty())
    return bad_request(options.what + " is a study: `ringside resume " + options.what +
                       "` goes on with it");
  if (options.what.empty() && options.script.command.empty())
    return bad_request(std::string("what is to be compared? ") + kWhatAbCompares);
  if (!often && !options.budget.empty())
    return bad_request("--budget ends what --repeats auto begins: take one");
  if (often && options.detach)
    return bad_request("who looks whether pairs tell has to stay: --detach goes with --repeats 8");
  if (!options.second_run.empty() && (!options.sets.empty() || options.quick))
    return bad_request("two runs are trained again as they were: no --set and --quick with them");
  RINGSIDE_TRY(part_commands(options));
  return sweep(options);
}

}  // namespace

void add_ab(Command& app) {
  auto options = std::make_shared<AbOptions>();
  Command command = app.add_command(
      "ab",
      "Tell which of two settings, or of two commands, takes longer: pairs of runs in turn, until "
      "they tell");
  command.add_option("PRESET|FILE.toml|RUN", options->what,
                     "A preset or a settings file; or a run, and the one it is compared with");
  command.add_option("RUN", options->second_run, "The second run");
  add_script_options(command, options->script);
  command.add_option("--ranks N", options->script.ranks, "With -- COMMAND: the number of ranks")
      .range(1, 4096);
  command
      .add_option(
          "--set KEY=VALUE,VALUE", options->sets,
          "The setting that is compared, with its two values: --set data.workers=0,2; of one "
          "command they replace {KEY} in its arguments. A setting with one value "
          "is that of both (repeatable)")
      .repeatable();
  command
      .add_option("--repeats N|auto", options->pairs,
                  "Pairs of runs: a number, or auto: 4, then more until they tell, 24 at most "
                  "(default: auto)")
      .valid([](const std::string& text) {
        const auto count = whole_number(text);
        return text == "auto" || (count && *count >= 2 && *count <= kMostPairs)
                   ? std::string()
                   : "write auto, or a number from 2 to " + std::to_string(kMostPairs) + ", not " +
                         text;
      });
  add_budget(command, options->budget,
             "Begin no more pairs that would take longer than this in all: 90s, 10m, 2h, 1d");
  command.add_flag("--quick", options->quick,
                   "The recipe's small scale: CPU ranks and generated data");
  command.add_option("--name TEXT", options->name, "Name to show");
  command.add_flag("--detach", options->detach,
                   "With a number of --repeats: return at once; the runs go on in the background");
  command.add_flag("--dry-run", options->dry_run, "Print the settings of every run; start nothing");
  add_json(command, *options, "Last line on standard output is one JSON object");
  add_runs_dir(command, *options);
  command.footer(
      "Two commands: ringside ab --ranks 2 -- python a.py -- python b.py; two runs, trained "
      "again: ringside ab 3 7.\nIt is a study of two settings: `ringside show STUDY` prints it "
      "again, `ringside resume STUDY` goes on after a stop.\nThe answer is of 95 % for all looks "
      "together; a difference below 1 % is not looked for. Exit codes: 0 all runs\nfinished, "
      "whatever the result; 1 one failed; 2 the request was wrong.");
  add_on(command, *options, "On another machine: its presets and studies");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    if (options->on.empty()) return ab(*options);
    return run_remotely(*options, typed, CommandKind::kStay,
                        options->script.command.empty() ? options->what : "");
  });
}

}  // namespace ringside::cli
