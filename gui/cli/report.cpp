// `ringside report RUN...`: the whole comparison as tables, or as one HTML page.
#include <optional>

#include "gui/cli/commands.h"
#include "gui/cli/interrupts.h"
#include "gui/cli/table_print.h"
#include "gui/cli/terminal.h"
#include "gui/session/export_run.h"
#include "gui/session/report_runs.h"
#include "gui/view/number_format.h"

namespace ringside::cli {
namespace {

struct ReportOptions : CommonOptions {
  std::vector<std::string> names;
  std::optional<std::string> html;
  bool force = false;
};

int print_report(const ReportOptions& options) {
  const auto read = session::ReportRuns::read(options.runs_folder(), options.names);
  if (!read) return report(read.error());
  const auto runs = read->runs();
  const auto tables = view::build_report(runs);
  if (!options.json) {
    print(stdout, tables_text(tables, wants_color(stdout)));
    return 0;
  }
  Json ids = Json::array();
  for (const auto& run : runs) ids.push_back(run.id);
  print(stdout, dump({{"runs", ids}, {"tables", tables_json(tables)}}, 2) + "\n");
  return 0;
}

int write_report(const ReportOptions& options) {
  const auto to = runlog::whole_path(*options.html, "--html");
  if (!to) return report(to.error());
  const Interrupts interrupts;
  const auto written =
      session::export_report(options.runs_folder(), options.names, *to, options.force,
                             [&](std::uint64_t, std::uint64_t) { return !interrupts.any(); });
  if (!written && interrupts.any()) return gave_up(interrupts, "no report was written");
  if (!written) return report(written.error());
  const auto bytes = static_cast<std::int64_t>(written->size_bytes);
  print(stdout, options.json
                    ? dump({{"file", written->path.string()}, {"size_bytes", bytes}}) + "\n"
                    : "Wrote " + written->path.string() + ", " + view::count_text(bytes) +
                          " bytes, self-contained.\n");
  return 0;
}

}  // namespace

void add_report(Command& app) {
  auto options = std::make_shared<ReportOptions>();
  Command command =
      app.add_command("report", "Compare a run with its baseline, or several runs, as tables");
  command
      .add_option("RUN", options->names,
                  "As for show; several are compared with the first where they have no baseline")
      .required()
      .type("");
  Option html = command
                    .add_option("--html", options->html,
                                "Write it with charts, notices and settings as one HTML file that "
                                "needs no other")
                    .type("FILE");
  command.add_flag("--force", options->force, "Replace that file when it exists").needs(html);
  add_json(command, *options, "One JSON object with the same tables, or about the file");
  add_runs_dir(command, *options);
  command.action(
      [options] { return options->html ? write_report(*options) : print_report(*options); });
}

}  // namespace ringside::cli
