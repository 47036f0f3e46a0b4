// `ringside export RUN --csv DIR`.
#include <optional>
#include <utility>

#include "gui/app/cli_json.h"
#include "gui/app/cli_terminal.h"
#include "gui/app/commands.h"
#include "gui/export/csv_exporter.h"
#include "gui/runs/find_run.h"
#include "gui/view/number_format.h"
#include "protocol/runlog/log_reader.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::app {
namespace {

struct ExportOptions : CommonOptions {
  std::optional<std::string> csv;
};

Result<std::pair<exporting::CsvSummary, runlog::LogProgress>> export_csv(
    const runlog::RunFolder& folder, const std::filesystem::path& to) {
  auto exporter = exporting::CsvExporter::create(to, folder.id());
  if (!exporter) return pass(exporter);
  const auto log = runlog::read_log(folder.log_path(0), **exporter);
  if (!log) return pass(log);
  auto summary = (*exporter)->finish();
  if (!summary) return pass(summary);
  return std::pair(std::move(*summary), *log);
}

Json csv_json(const exporting::CsvSummary& summary, const runlog::LogProgress& log) {
  Json files = Json::array();
  for (const auto& file : summary.files) {
    files.push_back({{"name", file.name}, {"rows", file.rows}, {"size_bytes", file.size_bytes}});
  }
  return {{"folder", summary.folder.string()},
          {"files", files},
          {"rows", summary.rows},
          {"size_bytes", summary.size_bytes},
          {"skipped_bytes", log.skipped_bytes},
          {"lost_segments", log.lost_segments}};
}

std::string csv_text(const exporting::CsvSummary& summary, const runlog::LogProgress& log) {
  std::vector<std::vector<std::string>> rows{{"file", "rows", "bytes"}};
  for (const auto& file : summary.files) {
    rows.push_back({(summary.folder / file.name).string(),
                    view::count_text(static_cast<std::int64_t>(file.rows)),
                    view::count_text(static_cast<std::int64_t>(file.size_bytes))});
  }
  std::string text = table_text(rows, {false, true, true});
  if (log.skipped_bytes > 0) {
    text += "Damaged parts of the log were left out: " +
            view::count_text(static_cast<std::int64_t>(log.skipped_bytes)) + " bytes.\n";
  }
  return text;
}

int run_export(const ExportOptions& options) {
  const auto found = runs::find_run(options.runs_folder(), options.run);
  if (!found) return report(found.error());
  const Result<std::filesystem::path> to =
      options.csv ? runlog::whole_path(*options.csv, "--csv") : found->folder.path() / "export";
  if (!to) return report(to.error());
  const auto exported = export_csv(found->folder, *to);
  if (!exported) return report(exported.error());
  const auto& [summary, log] = *exported;
  print(stdout, options.json ? dump(csv_json(summary, log)) + "\n" : csv_text(summary, log));
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto options = std::make_shared<ExportOptions>();
  auto* command = app.add_subcommand("export", "Write every record of a run into CSV files");
  add_run_name(*command, *options);
  command
      ->add_option("--csv", options->csv,
                   "Folder to write into, made when missing; default: export/ in the run's folder")
      ->type_name("DIR");
  add_json(*command, *options, "One JSON object about the files");
  add_runs_dir(*command, *options);
  command->footer(
      "Files: steps epochs buckets devices hosts ranks notices scalars shards (.csv). One row per "
      "record. An\n"
      "empty cell is not known; nan and inf are values that a rank reported; lists are joined with "
      "';'.");
  command->callback([options, &action] { action = [options] { return run_export(*options); }; });
}

}  // namespace ringside::app
