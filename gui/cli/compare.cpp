// `ringside compare RUN RUN...`: the content of the window's Compare panel, as tables or as a page.
#include <algorithm>
#include <optional>

#include "gui/cli/command/commands.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/session/export_run.h"
#include "gui/session/report_runs.h"
#include "gui/view/number_format.h"
#include "gui/view/runs/compare_figures.h"
#include "gui/view/runs/compare_view.h"
#include "protocol/base/nearest.h"
#include "protocol/base/text.h"

namespace ringside::cli {
namespace {

struct CompareOptions : CommonOptions {
  std::vector<std::string> names;
  std::string metrics;
  std::string baseline;
  std::optional<std::string> html;
  bool all_settings = false;
  bool fold_repeats = false;
  bool force = false;
};

/// The named figures; the error for an unknown one names the nearest.
Result<std::vector<std::string>> figures_of(const CompareOptions& options,
                                            const view::CompareView& view) {
  std::vector<std::string> figures;
  for (const std::string_view part : parts_of(options.metrics, ','))
    figures.emplace_back(trimmed(part));
  std::string unknown;
  view::with_figures(view.all_figures, figures, unknown);
  if (unknown.empty()) return figures;
  return bad_request("--metrics: two of these runs have no figure \"" + one_line(unknown) + "\"" +
                     suggestion(unknown, view::figure_names(view.all_figures)));
}

Result<int> print_comparison(const CompareOptions& options, const view::CompareView& view,
                             const std::vector<view::Table>& tables) {
  if (!options.json) {
    print(stdout, tables_text(tables, wants_color(stdout)));
    return 0;
  }
  Json ids = Json::array();
  for (const view::ComparedHead& run : view.runs) ids.push_back(run.id);
  print(stdout, dump({{"runs", ids},
                      {"baseline", view.runs[view.baseline].id},
                      {"fair", view.fair},
                      {"verdict", view::plain(view.verdict)},
                      {"tables", tables_json(tables)}},
                     2) +
                    "\n");
  return 0;
}

Result<int> compare(const CompareOptions& options) {
  if (options.force && !options.html) return bad_request("--force requires --html");
  if (options.fold_repeats && !options.html)
    return bad_request("--fold-repeats is about charts: it requires --html");
  if (options.names.size() > view::kMostCompared)
    return bad_request("at most " + std::to_string(view::kMostCompared) +
                       " runs are compared at once");
  const auto read = RINGSIDE_TRY(session::ReportRuns::read(options.runs_folder(), options.names));
  const std::vector<view::ComparedRun> runs = read.compared();
  if (runs.size() < 2)
    return bad_request(
        "name two runs or more, or one that has a baseline; `ringside list` shows them");
  view::CompareChoice choice;
  choice.only_differing = !options.all_settings;
  choice.fold_repeats = options.fold_repeats;
  choice.step_figures = true;
  if (!options.baseline.empty()) {
    const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.baseline));
    choice.baseline = found.folder.id();
    const bool among = std::ranges::any_of(
        runs, [&](const auto& run) { return run.context.id == choice.baseline; });
    if (!among)
      return bad_request("--baseline: " + one_line(options.baseline) +
                         " is none of the runs that are compared");
  }
  const view::CompareView view = view::build_compare_view(runs, choice, 1, 1);
  const auto figures = RINGSIDE_TRY(figures_of(options, view));
  if (!options.html) return print_comparison(options, view, view::compare_tables(view, figures));
  const auto to = RINGSIDE_TRY(runlog::whole_path(*options.html, "--html"));
  return tell_written(
      RINGSIDE_TRY(session::export_comparison(runs, choice, figures, to, options.force)),
      options.json);
}

}  // namespace

void add_compare(Command& app) {
  auto options = std::make_shared<CompareOptions>();
  Command command = app.add_command(
      "compare", "Lay runs beside each other: figures with difference and ratio, what differs");
  command
      .add_option("RUN", options->names, "Two to eight runs, as for show; one: with its baseline")
      .required();
  command
      .add_option(
          "--metrics NAME,...", options->metrics,
          "Only these figures: loss, accuracy, samples_per_s, time, a metric of the steps such as "
          "forward or grad_norm, or what the runs logged")
      .not_empty("loss,accuracy");
  command.add_option("--baseline RUN", options->baseline,
                     "The one of them that the others are held against (default: the first)");
  command.add_flag("--all-settings", options->all_settings,
                   "All settings that are known, not only what differs");
  command.add_option("--html FILE", options->html,
                     "Write it with charts as one HTML file that needs no other");
  command.add_flag("--fold-repeats", options->fold_repeats,
                   "In its charts, runs of one recipe as their mean and a band");
  command.add_flag("--force", options->force, "Replace that file when it exists");
  add_json(command, *options, "One JSON object with the same tables, or about the file");
  add_runs_dir(command, *options);
  command.action([options] { return compare(*options); });
}

}  // namespace ringside::cli
