// `ringside report RUN...`: the whole comparison as tables.
#include "gui/app/cli_terminal.h"
#include "gui/app/commands.h"
#include "gui/app/report_runs.h"

namespace ringside::app {
namespace {

struct ReportOptions : CommonOptions {
  std::vector<std::string> names;
};

int print_report(const ReportOptions& options) {
  const auto read = ReportRuns::read(options.runs_folder(), options.names);
  if (!read) return report(read.error());
  const auto runs = read->runs();
  const auto tables = view::build_report(runs);
  if (!options.json) {
    print(stdout, report_text(tables, wants_color(stdout)));
    return 0;
  }
  Json ids = Json::array();
  for (const auto& run : runs) ids.push_back(run.id);
  print(stdout, dump({{"runs", ids}, {"tables", report_json(tables)}}, 2) + "\n");
  return 0;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  auto* command = app.add_subcommand(
      "report", "The whole comparison of a run with its baseline, or of several runs, as tables");
  command
      ->add_option("RUN", options->names,
                   "As for show; several are compared with the first where they have no baseline")
      ->required()
      ->type_name("");
  add_json(*command, *options, "One JSON object with the same tables");
  add_runs_dir(*command, *options);
  command->callback([options, &action] { action = [options] { return print_report(*options); }; });
}

}  // namespace ringside::app
