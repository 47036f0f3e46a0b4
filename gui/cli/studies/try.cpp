// `ringside try`: changes that may make the same work quicker, each measured against the recipe as
// it is, in pairs of runs.
#include <algorithm>
#include <cmath>
#include <memory>

#include "gui/analysis/scaling/pairs.h"
#include "gui/cli/interrupts.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/cli/studies/sweep.h"
#include "gui/launch/candidates.h"
#include "gui/launch/combinations/combinations.h"
#include "gui/runs/catalogue.h"
#include "gui/runs/find_run.h"
#include "gui/view/scaling/combinations.h"
#include "gui/view/table_cells.h"
#include "protocol/base/clock.h"

namespace ringside::cli {
namespace {

using analysis::PairVerdict;
using launch::Candidate;

struct TryOptions : StudyOptions {
  std::string budget = "10m";
  bool other_numbers = false;
};

/// What has come of one candidate.
struct Tried {
  Candidate candidate;
  std::string study;  ///< empty: it was not tried
  view::PairFacts facts;
  std::optional<bool> same_loss;  ///< nothing: not known, or another in each run anyhow
  std::string why_not;
};

/// The loss at the end of the runs of a setting, where all that have finished say the same one.
std::optional<double> final_loss(const std::filesystem::path& runs_dir,
                                 const view::StudySettingFacts& setting) {
  std::optional<double> loss;
  for (const view::StudyRun& run : setting.runs) {
    const auto found = runs::find_run(runs_dir, run.id);
    if (!found || !run.finished()) continue;
    const double own = runs::read_summary(*found).figures.final_loss;
    if (std::isnan(own) || (loss && *loss != own)) return std::nullopt;
    loss = own;
  }
  return loss;
}

/// A run is tried again as it was; anything else is read as `ringside ab` reads it.
void name_recipe(TryOptions& options) {
  if (options.what.empty() || launch::load_preset(options.what)) return;
  if (runs::find_run(options.runs_folder(), options.what)) options.second_run = options.what;
}

/// Measures one within its part of the budget. The exit code of the study; a bad request where it
/// does not go with the recipe.
Result<int> try_one(const TryOptions& typed, double budget_s, Tried& tried) {
  StudyOptions options = typed;
  options.change = tried.candidate;
  options.budget_s = budget_s;
  options.told = [&](const view::StudyFacts& facts) {
    tried.study = facts.study.head.study;
    tried.facts = view::pair_facts(facts);
    if (facts.settings.size() < 2) return;
    const auto before = final_loss(options.runs_folder(), facts.settings[0]);
    const auto after = final_loss(options.runs_folder(), facts.settings[1]);
    if (before && after) tried.same_loss = *before == *after;
  };
  return sweep(options);
}

/// "12.3 % less (8.1 to 16.0)", "1.0 % more (2.1 less to 4.2 more)": the time of equal work.
std::string change_words(const view::PairFacts& facts) {
  if (facts.pairs < 2) return {};
  const auto& [value, low, high] = facts.longer;
  const auto size = [](double share) { return view::decimal_text(100 * std::abs(share), 1); };
  const std::string middle = size(value) + (value < 0 ? " % less (" : " % more (");
  if (low < 0 && high > 0) return middle + size(low) + " less to " + size(high) + " more)";
  return middle + size(high < 0 ? high : low) + " to " + size(high < 0 ? low : high) + ")";
}

view::Cell certain_cell(const Tried& tried) {
  if (tried.study.empty()) return view::text_cell("not tried: " + tried.why_not, view::Tone::kDim);
  switch (tried.facts.verdict) {
    case PairVerdict::kShorter:
      return view::text_cell("quicker", view::Tone::kOk);
    case PairVerdict::kLonger:
      return view::text_cell("slower", view::Tone::kWarning);
    case PairVerdict::kAlike:
      return view::text_cell("no difference of 1 %");
    case PairVerdict::kOpen:
      break;
  }
  return view::text_cell("not certain", view::Tone::kDim);
}

view::Table tried_table(const std::vector<Tried>& all) {
  view::Table table{"tried", "Tried, each against the recipe as it is"};
  for (const Tried& tried : all) {
    const bool keeps = tried.facts.verdict == PairVerdict::kShorter && !tried.study.empty();
    const view::Cell loss = !tried.same_loss   ? view::unknown_cell()
                            : *tried.same_loss ? view::text_cell("as before")
                                               : view::text_cell("another", view::Tone::kWarning);
    view::add_entries(
        table, {{{"change", "change"}, view::text_cell(tried.candidate.name())},
                {{"answer", "answer"}, certain_cell(tried)},
                {{"time", "time of equal work"}, view::word_cell(change_words(tried.facts))},
                {view::number_column("pairs", "pairs"), view::count_cell(tried.facts.pairs)},
                {{"final_loss", "final loss"}, loss},
                {{"study", "study"}, view::word_cell(tried.study)},
                {{"keep", "to keep it"},
                 keeps ? view::text_cell(launch::kept_by(tried.candidate)) : view::unknown_cell()},
                view::hidden("longer", tried.facts.pairs < 2
                                           ? view::CellValue{}
                                           : view::CellValue{tried.facts.longer.value})});
  }
  for (const Tried& tried : all) {
    if (tried.candidate.same_loss && tried.same_loss == false)
      table.notes.push_back(tried.candidate.name() +
                            " should not change the loss, and did: look before you keep it.");
  }
  const auto quicker = [](const Tried& one) {
    return !one.study.empty() && one.facts.verdict == PairVerdict::kShorter;
  };
  if (std::ranges::none_of(all, quicker))
    table.notes.push_back("Nothing was certainly quicker: the recipe stays as it is.");
  return table;
}

void print_table(const view::Table& table, bool json) {
  print(stdout, json ? dump(table_json(table)) + "\n" : tables_text({table}, wants_color(stdout)));
}

void print_candidates(const std::vector<Candidate>& all, bool json) {
  view::Table table{"candidates", "Would be tried"};
  for (const Candidate& one : all) {
    view::add_entries(table, {{{"change", "change"}, view::text_cell(one.name())},
                              {{"why", "what it may save"}, view::text_cell(one.why)},
                              {{"keep", "to keep it"}, view::text_cell(launch::kept_by(one))}});
  }
  print_table(table, json);
}

Result<int> try_all(const TryOptions& options, const std::vector<Candidate>& all,
                    const Interrupts& interrupts) {
  const auto begun_ns = mono_now_ns();
  const double budget_s = budget_seconds(options.budget);
  std::vector<Tried> tried;
  for (const Candidate& one : all) tried.push_back({one, {}, {}, {}, "the budget is used up"});
  int worst = 0;
  double least_s = 0;  // of the fewest pairs that a change has
  for (std::size_t i = 0; i < tried.size() && !interrupts.any(); ++i) {
    const double left_s = budget_s - static_cast<double>(mono_now_ns() - begun_ns) * 1e-9;
    if (left_s <= least_s) break;
    print(stderr, "Trying " + tried[i].candidate.name() + " (" + std::to_string(i + 1) + " of " +
                      std::to_string(tried.size()) + "): " + tried[i].candidate.why + "\n");
    const auto one_ns = mono_now_ns();
    const auto code = try_one(options, left_s / static_cast<double>(tried.size() - i), tried[i]);
    if (!code) tried[i].why_not = code.error().message;
    const auto took_s = static_cast<double>(mono_now_ns() - one_ns) * 1e-9;
    if (code)
      least_s = took_s * static_cast<double>(analysis::kLooks.front()) /
                static_cast<double>(std::max(tried[i].facts.pairs, analysis::kLooks.front()));
    worst = std::max(worst, code.value_or(0));
  }
  const view::Table table = tried_table(tried);
  print_table(table, options.json);
  return interrupts.any() ? interrupts.exit_code() : worst;
}

Result<int> try_out(const TryOptions& typed) {
  TryOptions options = typed;
  if (options.what.empty() && options.script.command.empty())
    return bad_request(
        "what is to become quicker? A preset, a settings file, a run, or a command: ringside "
        "try --ranks 2 -- python train.py");
  const auto asked = RINGSIDE_TRY(launch::parse_settings(options.sets));
  if (!asked.swept.empty())
    return bad_request(
        "--set " + asked.swept.front().name +
        " has several values, and changes are tried against one recipe: give it one");
  name_recipe(options);
  options.looks = static_cast<std::int64_t>(analysis::kLooks.size());
  const Interrupts interrupts;
  const auto machine = launch::read_machine([&] { return interrupts.any(); });
  if (interrupts.any()) return gave_up(interrupts, kNothingStarted);
  if (!machine) return pass(machine);
  const messages::RunSpec spec = RINGSIDE_TRY(recipe_of(options, *machine));
  const auto all = launch::candidates(spec, machine->cores, options.other_numbers);
  if (options.dry_run) {
    print_candidates(all, options.json);
    return 0;
  }
  return try_all(options, all, interrupts);
}

}  // namespace

void add_try(Command& app) {
  auto options = std::make_shared<TryOptions>();
  Command command = app.add_command(
      "try",
      "Try what may make the same work quicker, one change after another, each in pairs of runs "
      "against the recipe as it is");
  command
      .add_option("PRESET|FILE.toml|RUN", options->what,
                  "A preset, a settings file, or a run, which is trained again")
      .type("");
  add_script_options(command, options->script);
  command.add_option("--ranks", options->script.ranks, "With -- COMMAND: the number of ranks")
      .type("N")
      .range(1, 4096);
  command.add_option("--set", options->sets, "A setting of the recipe (repeatable)")
      .type("KEY=VALUE")
      .repeatable();
  add_budget(command, options->budget,
             "Begin no change and no more pairs that would take longer than this in all; the "
             "first change always has 4 pairs: 90s, 10m, 2h, 1d (default: 10m)");
  command.add_flag("--other-numbers", options->other_numbers,
                   "Changes too with which it computes in another precision or order");
  command.add_flag("--quick", options->quick,
                   "The recipe's small scale: CPU ranks and generated data");
  command.add_flag("--dry-run", options->dry_run, "Print what would be tried; start nothing");
  add_json(command, *options, "Last line on standard output is one JSON object");
  add_runs_dir(command, *options);
  command.footer(
      "A script gets arguments of DataLoader and DistributedDataParallel without a changed line.\n"
      "Each change is a study of pairs, as `ringside ab` makes them: `ringside show STUDY`.\n"
      "Exit codes: 0 all runs finished, whatever they tell; 1 one failed; 2 the request was "
      "wrong.");
  add_on(command, *options, "On another machine: its presets and runs");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    if (options->on.empty()) return try_out(*options);
    return run_there(*options, typed, Errand::kStay,
                     options->script.command.empty() ? options->what : "");
  });
}

}  // namespace ringside::cli
