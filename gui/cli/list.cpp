// `ringside list` prints the runs, or the studies, as a table or as JSON.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/cli/command/commands.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/run_table.h"
#include "gui/cli/print/study_print.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/place/run_place.h"
#include "gui/view/number_format.h"
#include "gui/view/runs/run_columns.h"
#include "gui/view/runs/run_filter.h"
#include "protocol/base/clock.h"
#include "protocol/base/text.h"

namespace ringside::cli {
namespace {

constexpr std::array<std::string_view, 10> kPrinted{"number",        "name",
                                                    "world_size",    "global_batch",
                                                    "state",         "best_val_accuracy",
                                                    "train_seconds", "speedup",
                                                    "started",       "id"};

struct ListOptions : CommonOptions {
  int newest = 0;  ///< number of newest runs to print; 0: all
  bool studies = false;
  std::string filter, columns, sort;
  bool reverse = false;
};

Result<std::vector<std::string>> shown_keys(const ListOptions& options,
                                            std::span<const view::RunSummary> runs) {
  if (options.columns.empty())
    return options.json ? all_run_keys()
                        : std::vector<std::string>(kPrinted.begin(), kPrinted.end());
  std::vector<std::string> keys;
  for (const std::string_view name : parts_of(options.columns, ',')) {
    if (trimmed(name).empty()) continue;
    auto key = RINGSIDE_TRY(view::run_column_key(runs, std::string(trimmed(name))));
    keys.push_back(std::move(key));
  }
  return keys;
}

Result<view::Table> chosen_table(const ListOptions& options,
                                 std::span<const runs::RunSummary> found) {
  const std::vector<view::RunSummary> runs = listed(found);
  const auto shown = RINGSIDE_TRY(shown_keys(options, runs));
  std::string sort;
  if (!options.sort.empty()) {
    auto key = RINGSIDE_TRY(view::run_column_key(runs, options.sort));
    sort = std::move(key);
  }
  const view::RunFilter filter = view::run_filter(runs, options.filter);
  if (!filter.problem.empty()) return bad_request(filter.problem);
  std::vector<const view::RunSummary*> kept;
  for (const view::RunSummary& run : runs) {
    const bool room = options.newest == 0 || kept.size() < static_cast<std::size_t>(options.newest);
    if (room && view::fits(run, filter)) kept.push_back(&run);
  }
  std::vector<std::string> keys = shown;
  if (!sort.empty()) keys.push_back(sort);
  view::Table table = printed_runs(kept, keys, SystemClock().wall_ns());
  view::sort_rows(table, {sort, options.reverse});
  if (sort.empty() && options.reverse) std::reverse(table.rows.begin(), table.rows.end());
  return view::with_columns(table, std::vector<std::string_view>(shown.begin(), shown.end()));
}

Result<int> list(const ListOptions& options) {
  place::refresh(options.runs_folder());
  const auto found = RINGSIDE_TRY(runs::read_summaries(options.runs_folder()));
  if (found.empty()) {
    print(stdout, options.json ? "[]\n"
                               : "No runs in " + options.runs_folder().string() +
                                     " yet. `ringside run demo` makes one.\n");
    return 0;
  }
  const auto table = RINGSIDE_TRY(chosen_table(options, found));
  if (options.json) {
    print(stdout, dump(rows_json(table), 2) + "\n");
    return 0;
  }
  if (table.rows.empty()) {
    print(stdout, "None of " +
                      view::plural(static_cast<std::int64_t>(found.size()), "run", "runs") +
                      " fits " + options.filter + ".\n");
    return 0;
  }
  print(stdout, table_text(table, wants_color(stdout)));
  if (!options.filter.empty() || !options.columns.empty()) return 0;
  for (const auto& run : found) {
    if (run.state.word == "queued" && !run.state.detail.empty())
      print(stdout, runs::label_of(run) + " is queued " + one_line(run.state.detail) + "\n");
  }
  const view::Table studies = studies_table(options.runs_folder());
  if (!studies.rows.empty() && options.newest == 0)
    print(stdout, "\n" + table_text(studies, wants_color(stdout)));
  return 0;
}

/// Prints the studies only, as JSON or as a table.
Result<int> list_studies(const ListOptions& options) {
  const view::Table studies = studies_table(options.runs_folder());
  if (options.json) {
    print(stdout, dump(rows_json(studies), 2) + "\n");
  } else if (studies.rows.empty()) {
    print(stdout, "No study in " + options.runs_folder().string() +
                      " yet. `ringside sweep demo --world 1,2` makes one.\n");
  } else {
    print(stdout, table_text(studies, wants_color(stdout)));
  }
  return 0;
}

}  // namespace

void add_list(Command& app) {
  auto options = std::make_shared<ListOptions>();
  Command command = app.add_command("list", "All runs, newest first");
  command.add_option("-n,--newest N", options->newest, "Only so many of the newest")
      .range(1, 1'000'000);
  command.add_option("--filter WORDS", options->filter,
                     "Only runs that fit all words: state:failed, speedup<1.5, lr>=0.04, tag:x, "
                     "is:starred; a word alone matches in name, state, tags and note");
  command.add_option(
      "--columns KEYS", options->columns,
      "These instead, by commas: keys of --json, settings (lr, batch.size), values that "
      "programs logged");
  command.add_option("--sort KEY", options->sort, "By that column, smallest first");
  command.add_flag("--reverse", options->reverse, "The other way round");
  command.add_flag("--studies", options->studies, "The studies instead");
  add_json(command, *options, "One JSON array of objects");
  add_runs_dir(command, *options);
  add_on(command, *options, "Those of another machine");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    if (!options->on.empty()) return run_remotely(*options, typed, CommandKind::kLook);
    return options->studies ? list_studies(*options) : list(*options);
  });
}

}  // namespace ringside::cli
