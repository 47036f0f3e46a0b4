// `ringside report RUN...`: the whole comparison as tables, or as one HTML page.
#include <optional>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/print/study_print.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/runs/studies/study.h"
#include "gui/session/export_run.h"
#include "gui/session/report_runs.h"
#include "gui/session/studies/export_study.h"
#include "gui/view/number_format.h"
#include "gui/view/report/scaling_files.h"
#include "protocol/base/nearest.h"

namespace ringside::cli {
namespace {

struct ReportOptions : CommonOptions {
  std::vector<std::string> names;
  std::optional<std::string> html;
  std::optional<std::string> md;
  std::optional<std::string> svg;
  std::optional<std::string> csv;
  std::optional<std::string> all;
  std::string metric = "speedup";
  bool force = false;

  bool writes() const { return html || md || svg || csv || all; }
};

Result<int> print_report(const ReportOptions& options) {
  const auto read = RINGSIDE_TRY(session::ReportRuns::read(options.runs_folder(), options.names));
  const auto runs = read.runs();
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

Result<int> write_report(const ReportOptions& options) {
  const auto to = RINGSIDE_TRY(runlog::whole_path(*options.html, "--html"));
  const Interrupts interrupts;
  const auto written =
      session::export_report(options.runs_folder(), options.names, to, options.force,
                             [&](std::uint64_t, std::uint64_t) { return !interrupts.any(); });
  if (!written) return not_done(interrupts, written.error(), "no report was written");
  return tell_written(*written, options.json);
}

Result<view::ScalingMetric> metric_of(const std::string& word) {
  std::vector<std::string> known;
  for (int i = 0; i < static_cast<int>(view::ScalingMetric::kCount); ++i) {
    const auto metric = static_cast<view::ScalingMetric>(i);
    known.emplace_back(view::key_of(metric));
    if (known.back() == word) return metric;
  }
  return bad_request("--metric: there is no \"" + one_line(word) + "\"" + suggestion(word, known));
}

/// Writes a study in all available file formats.
Result<int> write_study(const ReportOptions& options, const std::string& name) {
  const auto to = RINGSIDE_TRY(runlog::whole_path(*options.all, "--export"));
  const Interrupts interrupts;
  const auto written =
      session::export_study_files(options.runs_folder(), name, to, options.force,
                                  [&](std::uint64_t, std::uint64_t) { return !interrupts.any(); });
  if (!written) return not_done(interrupts, written.error(), "no report was written");
  for (const auto& file : *written) tell_written(file, options.json);
  return 0;
}

/// Prints a study as tables or writes it as files.
Result<int> report_study(const ReportOptions& options) {
  const std::string& name = options.names.front();
  if (!options.writes()) return show_study(options.runs_folder(), name, {}, options.json);
  const auto metric = RINGSIDE_TRY(metric_of(options.metric));
  const Interrupts interrupts;
  const std::pair<const std::optional<std::string>&, view::StudyFileKind> kFiles[] = {
      {options.html, view::StudyFileKind::kHtml},
      {options.md, view::StudyFileKind::kMarkdown},
      {options.svg, view::StudyFileKind::kSvg},
      {options.csv, view::StudyFileKind::kCsv}};
  for (const auto& [file, kind] : kFiles) {
    if (!file) continue;
    const auto to =
        RINGSIDE_TRY(runlog::whole_path(*file, std::string("--") + view::suffix_of(kind)));
    const auto written =
        session::export_study(options.runs_folder(), name, kind, metric, to, options.force,
                              [&](std::uint64_t, std::uint64_t) { return !interrupts.any(); });
    if (!written) return not_done(interrupts, written.error(), "no report was written");
    tell_written(*written, options.json);
  }
  return options.all ? write_study(options, name) : 0;
}

Result<int> report_any(const ReportOptions& options) {
  if (options.force && !options.writes())
    return bad_request("--force requires --html, --md, --svg, --csv or --export");
  const bool study = options.names.size() == 1 && !runs::study_name(options.names[0]).empty();
  if (study) return report_study(options);
  if (options.md || options.svg || options.csv || options.all)
    return bad_request(
        "--md, --svg, --csv and --export are for a study such as S-07; `ringside export RUN --csv "
        "DIR` writes the tables of a run");
  return options.html ? write_report(options) : print_report(options);
}

}  // namespace

void add_report(Command& app) {
  auto options = std::make_shared<ReportOptions>();
  Command command =
      app.add_command("report", "Compare a run with its baseline, or several runs, as tables");
  command
      .add_option(
          "RUN", options->names,
          "As for show, also a study; several are compared with the first where they have no "
          "baseline")
      .required();
  command.add_option(
      "--html FILE", options->html,
      "Write it with charts, notices and settings as one HTML file that needs no other");
  command.add_option("--md FILE", options->md, "Of a study: its tables as Markdown");
  command.add_option("--svg FILE", options->svg, "Of a study: its chart");
  command.add_option("--csv FILE", options->csv, "Of a study: its settings");
  command.add_option(
      "--export DIR", options->all,
      "Of a study: all of that, and a chart and a CSV of each kind, into this folder");
  command.add_option("--metric WORD", options->metric,
                     "What that chart shows: speedup, efficiency, time, images_per_s or accuracy");
  command.add_flag("--force", options->force, "Replace that file when it exists");
  add_json(command, *options, "One JSON object with the same tables, or about the file");
  add_runs_dir(command, *options);
  command.action([options] { return report_any(*options); });
}

}  // namespace ringside::cli
