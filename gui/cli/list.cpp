// `ringside list`.
#include <array>
#include <string_view>

#include "gui/cli/commands.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/run_table.h"
#include "gui/cli/print/study_print.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/slurm/jobs.h"
#include "protocol/base/clock.h"

namespace ringside::cli {
namespace {

constexpr std::array<std::string_view, 10> kPrinted{
    "number",        "id",      "state",  "name", "world_size", "global_batch", "best_val_accuracy",
    "train_seconds", "speedup", "started"};

struct ListOptions : CommonOptions {
  int newest = 0;  ///< 0: all
  bool studies = false;
};

int list(const ListOptions& options) {
  slurm::refresh(options.runs_folder());
  auto found = runs::read_summaries(options.runs_folder());
  if (!found) return report(found.error());
  if (options.newest > 0 && found->size() > static_cast<std::size_t>(options.newest)) {
    found->erase(found->begin() + options.newest, found->end());
  }
  const view::Table table = run_table(*found, SystemClock().wall_ns());
  if (options.json) {
    print(stdout, dump(rows_json(table), 2) + "\n");
    return 0;
  }
  const view::Table studies = studies_table(options.runs_folder());
  if (found->empty()) {
    print(stdout, "No runs in " + options.runs_folder().string() +
                      " yet. `ringside run demo` makes one.\n");
    return 0;
  }
  print(stdout, table_text(view::with_columns(table, kPrinted), wants_color(stdout)));
  for (const auto& run : *found) {
    if (run.state.word == "queued" && !run.state.detail.empty())
      print(stdout, runs::label_of(run) + " is queued " + one_line(run.state.detail) + "\n");
  }
  if (!studies.rows.empty() && options.newest == 0)
    print(stdout, "\n" + table_text(studies, wants_color(stdout)));
  return 0;
}

/// The studies alone, as JSON or as a table.
int list_studies(const ListOptions& options) {
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
  command.add_option("-n,--newest", options->newest, "Only so many of the newest")
      .type("N")
      .range(1, 1'000'000);
  command.add_flag("--studies", options->studies, "The studies instead");
  add_json(command, *options, "One JSON array of objects");
  add_runs_dir(command, *options);
  add_on(command, *options, "Those of another machine");
  command.action_with_words([options](const std::vector<std::string>& typed) {
    if (!options->on.empty()) return run_there(*options, typed, Errand::kLook);
    return options->studies ? list_studies(*options) : list(*options);
  });
}

}  // namespace ringside::cli
