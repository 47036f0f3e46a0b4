// `ringside export RUN --csv DIR | --tensorboard DIR | --trace FILE`.
#include <optional>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/export/csv_choice.h"
#include "gui/runs/find_run.h"
#include "gui/runs/studies/study.h"
#include "gui/session/export_run.h"
#include "gui/view/log_damage.h"
#include "gui/view/table_cells.h"

namespace ringside::cli {
namespace {

struct ExportOptions : CommonOptions {
  std::optional<std::string> csv;
  std::optional<std::string> tables;
  std::optional<std::string> tensorboard;
  std::optional<std::string> trace;
  std::string steps;
  bool last_attempt = false;
  bool force = false;
};

/// Number of rows in a CSV file, values in an event file, or events in a trace.
std::uint64_t entries_of(const exporting::CsvFileSummary& file) { return file.rows; }
std::uint64_t entries_of(const exporting::EventFileSummary& file) { return file.values; }
std::uint64_t entries_of(const exporting::CsvSummary& all) { return all.rows; }
std::uint64_t entries_of(const exporting::TensorBoardSummary& all) { return all.values; }
std::uint64_t entries_of(const session::TraceSummary::File& file) { return file.events; }
std::uint64_t entries_of(const session::TraceSummary& all) { return all.events; }

view::Cell size_cell(std::uint64_t size) {
  return view::count_cell(static_cast<std::int64_t>(size));
}

/// `entries`: "rows", "values" or "events".
template <class Summary>
view::Table files_table(const Summary& written, const char* entries) {
  view::Table table{"files", "Files"};
  for (const auto& file : written.files) {
    view::add_entries(table,
                      {{{"name", "file"}, {file.name, (written.folder / file.name).string()}},
                       {view::number_column(entries, entries), size_cell(entries_of(file))},
                       {view::number_column("size_bytes", "bytes"), size_cell(file.size_bytes)}});
  }
  return table;
}

template <class Summary>
std::string exported_text(const session::Exported<Summary>& exported, const char* entries,
                          bool json) {
  const auto& written = exported.written;
  const view::Table files = files_table(written, entries);
  if (!json) return table_text(files, wants_color(stdout));
  const auto& log = exported.damage.log;
  return dump({{"folder", written.folder.string()},
               {"files", rows_json(files)},
               {entries, entries_of(written)},
               {"size_bytes", written.size_bytes},
               {"skipped_bytes", log.skipped_bytes},
               {"lost_segments", log.lost_segments},
               {"lost_records", exported.damage.lost_records},
               {"log", log_json(exported.damage)}}) +
         "\n";
}

/// Calls `write(watch)`, which a signal cancels, and prints the result.
template <class Write>
Result<int> carry_out(const Write& write, const char* entries, bool json) {
  const Interrupts interrupts;
  const auto exported = write([&](std::uint64_t, std::uint64_t) { return !interrupts.any(); });
  if (!exported) return not_done(interrupts, exported.error(), "nothing was exported");
  if (const std::string damage = view::damage_text(exported->damage); !damage.empty())
    print(stderr, damage + "\n");
  print(stdout, exported_text(*exported, entries, json));
  return 0;
}

Result<int> run_export(const ExportOptions& options) {
  const auto choice = options.tables ? exporting::choose_csv_tables(*options.tables)
                                     : Result<exporting::CsvChoice>(exporting::all_csv_tables());
  if (!choice)
    return tl::unexpected(Error{choice.error().kind, "--tables: " + choice.error().message});
  const auto found = runs::find_run(options.runs_folder(), options.run);
  if (const std::string study = runs::study_name(options.run); !found && !study.empty())
    return bad_request(study + " is a study; `ringside report " + study +
                       " --export DIR` writes its files");
  if (!found) return pass(found);
  const auto attempts = options.last_attempt ? session::Attempts::kLast : session::Attempts::kAll;
  if (options.tensorboard) {
    const auto to = RINGSIDE_TRY(runlog::whole_path(*options.tensorboard, "--tensorboard"));
    return carry_out(
        [&](const auto& watch) {
          return session::export_tensorboard(found->folder, to, watch, attempts);
        },
        "values", options.json);
  }
  if (options.trace) {
    const auto steps = RINGSIDE_TRY(steps_option(options.steps));
    const auto to = RINGSIDE_TRY(runlog::whole_path(*options.trace, "--trace"));
    return carry_out(
        [&](const auto& watch) {
          return session::export_trace(found->folder, to, steps, options.force, watch);
        },
        "events", options.json);
  }
  const auto to = options.csv ? RINGSIDE_TRY(runlog::whole_path(*options.csv, "--csv"))
                              : found->folder.export_dir();
  return carry_out(
      [&](const auto& watch) {
        return session::export_csv(found->folder, to, *choice, watch, attempts, options.force);
      },
      "rows", options.json);
}

/// Exports a run of another machine; the files are written here.
Result<int> export_there(const ExportOptions& options) {
  if (!options.csv && !options.tensorboard && !options.trace)
    return bad_request(
        "of a run on another machine say where to: --csv DIR, --tensorboard DIR or --trace FILE");
  const Interrupts interrupts;
  const auto copied = copy_run(options, interrupts, false);
  if (!copied) return not_done(interrupts, copied.error(), "nothing was exported");
  ExportOptions here = options;
  here.run = copied->folder.string();
  here.runs_dir = copied->folder.parent_path().string();
  return run_export(here);
}

}  // namespace

void add_export(Command& app) {
  auto options = std::make_shared<ExportOptions>();
  Command command = app.add_command(
      "export",
      "Write the records of a run into CSV or TensorBoard files, or its steps into a trace");
  add_run_name(command, *options);
  Option csv =
      command.add_option("--csv DIR", options->csv,
                         "Folder for CSV files, made when missing; default: export/ in the "
                         "run's folder");
  Option tables = command.add_option("--tables NAMES", options->tables,
                                     "Only these CSV tables, such as steps,epochs; default: all");
  Option force = command.add_flag(
      "--force", options->force,
      "Replace CSV tables in that folder that belong to something else, or the trace file");
  Option tensorboard =
      command
          .add_option("--tensorboard DIR", options->tensorboard,
                      "Folder for TensorBoard event files instead: rank_0/ and so on, and node_0/")
          .excludes(csv)
          .excludes(tables)
          .excludes(force);
  Option trace =
      command
          .add_option("--trace FILE", options->trace,
                      "File for a trace instead: the steps of all ranks under each other, for "
                      "ui.perfetto.dev or chrome://tracing")
          .excludes(csv)
          .excludes(tables)
          .excludes(tensorboard);
  command
      .add_option("--steps FIRST-LAST", options->steps,
                  "These steps alone (default: the newest 2000)")
      .needs(trace);
  command
      .add_flag("--last-attempt", options->last_attempt,
                "Of a restarted or resumed run only what its newest attempt did")
      .excludes(trace);
  add_json(command, *options, "One JSON object that describes the files");
  add_runs_dir(command, *options);
  std::string tables_there;
  for (const std::string_view name : exporting::kCsvTables) tables_there += " " + std::string(name);
  command.footer(
      "Tables:" + tables_there +
      " (.csv). One row per record. An\n"
      "empty cell is not known; nan and inf are as reported by a rank; lists are joined with "
      "';'. The column attempt shows what a restarted or resumed run repeated.\n"
      "TensorBoard: every scalar of every step (tensorboard --logdir DIR), NaN and Inf kept, what "
      "is not known\n"
      "left out; step/ and time_ms/ by step, epoch_train/ and epoch_validate/ by epoch, device_0/ "
      "and host/ by node.\nWhat a later attempt did lies in folders of its own, rank_0_attempt_1/ "
      "and so on.\nCtrl-C cancels; no partial files are left.");
  add_on(command, *options, "Of another machine; the files are written here");
  command.action(
      [options] { return options->on.empty() ? run_export(*options) : export_there(*options); });
}

}  // namespace ringside::cli
