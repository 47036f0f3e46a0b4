// `ringside list`.
#include <chrono>

#include "gui/cli/commands.h"
#include "gui/cli/json.h"
#include "gui/cli/live_text.h"
#include "gui/cli/terminal.h"
#include "gui/view/number_format.h"
#include "protocol/base/clock.h"

namespace ringside::cli {
namespace {

struct ListOptions : CommonOptions {
  int newest = 0;  ///< 0: all
};

std::vector<std::string> row_of(const runs::RunSummary& run, std::int64_t now_wall_ns, bool color) {
  const auto& figures = run.figures;
  return {
      runs::label_of(run),
      one_line(run.folder.id()),
      state_text(run, color),
      cut_to(one_line(run.name), 40),
      run.ranks > 0 ? std::to_string(run.ranks) : "–",
      run.global_batch > 0 ? view::count_text(run.global_batch) : "–",
      or_dash(figures.best_val_accuracy, view::accuracy_text),
      or_dash(figures.train_seconds, view::seconds_text),
      or_dash(figures.speedup, view::speedup_text),
      figures.started_wall_ns == 0 ? "–" : view::day_text(figures.started_wall_ns, now_wall_ns)};
}

int list(const ListOptions& options) {
  auto found = runs::read_summaries(options.runs_folder());
  if (!found) return report(found.error());
  if (options.newest > 0 && found->size() > static_cast<std::size_t>(options.newest)) {
    found->erase(found->begin() + options.newest, found->end());
  }
  if (options.json) {
    Json all = Json::array();
    for (const auto& run : *found) all.push_back(summary_json(run));
    print(stdout, dump(all, 2) + "\n");
    return 0;
  }
  if (found->empty()) {
    print(stdout, "No runs in " + options.runs_folder().string() +
                      " yet. `ringside run demo` makes one.\n");
    return 0;
  }
  const bool color = wants_color(stdout);
  const std::int64_t now_wall_ns = SystemClock().wall_ns();
  std::vector<std::vector<std::string>> rows{
      head_row({"run", "id", "state", "name", "ranks", "batch", "best val", "training", "speedup",
                "started"},
               color)};
  for (const auto& run : *found) rows.push_back(row_of(run, now_wall_ns, color));
  print(stdout, table_text(rows, {true, false, false, false, true, true, true, true, true, false}));
  for (const auto& run : *found) {
    if (run.state.word == "queued" && !run.state.detail.empty())
      print(stdout, runs::label_of(run) + " is queued " + one_line(run.state.detail) + "\n");
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
  add_json(command, *options, "One JSON array of objects");
  add_runs_dir(command, *options);
  command.action([options] { return list(*options); });
}

}  // namespace ringside::cli
