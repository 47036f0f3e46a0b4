// `ringside timeline RUN|FILE...` prints the content of the Timeline page for a run or for traces,
// as tables.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/command/trace_reading.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/runs/find_run.h"
#include "gui/runs/run_figures.h"
#include "gui/session/trace/step_timeline.h"
#include "gui/session/trace/timeline_sources.h"
#include "gui/view/timeline/timeline_words.h"

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;

struct TimelineOptions : CommonOptions {
  std::vector<std::string> names;
  bool recorded = false;
  int rows = static_cast<int>(session::kMostOperations);
};

struct Shown {
  std::string source;
  std::vector<fs::path> files;  ///< trace files; empty: the recorded steps of the run
  session::ReadTimeline read;
};

Result<Shown> recorded_steps(const runlog::RunFolder& folder, std::size_t rows,
                             const Interrupts& interrupts) {
  const auto spec = runs::read_spec(folder);
  const runs::ReadRun read =
      runs::read_run(folder, spec.value_or(messages::RunSpec()),
                     [&](std::uint64_t, std::uint64_t) { return !interrupts.any(); });
  if (!read.problem.empty()) return failure(read.problem);
  const analysis::StepRange steps = session::timeline_steps(*read.model);
  if (steps.count() == 0) return bad_request("the run has no steps yet");
  return Shown{"Recorded steps",
               {},
               session::with_operations(session::step_timeline(*read.model, steps), rows)};
}

Result<Shown> traces(const session::TimelineSource& source, std::size_t rows,
                     const Interrupts& interrupts) {
  TraceReading reading(interrupts);
  auto read = RINGSIDE_TRY(session::read_timeline(source, reading.progress(), rows));
  return Shown{source.title, source.files, std::move(read)};
}

/// Reads traces if the arguments are files. A single word that is not a file names a run, whose
/// newest profile is preferred.
Result<Shown> read_shown(const TimelineOptions& options, const Interrupts& interrupts) {
  const auto rows = static_cast<std::size_t>(options.rows);
  std::error_code error;
  if (options.names.size() > 1 || fs::is_regular_file(options.names.front(), error)) {
    if (options.recorded) return bad_request("--recorded is for a run, not for files");
    std::vector<fs::path> files;
    for (const std::string& name : options.names)
      files.push_back(RINGSIDE_TRY(runlog::whole_path(name, "FILE")));
    return traces(session::source_of(files), rows, interrupts);
  }
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.names.front()));
  const auto profiles = session::timeline_sources(found.folder);
  if (options.recorded || profiles.empty()) return recorded_steps(found.folder, rows, interrupts);
  return traces(profiles.front(), rows, interrupts);
}

Json timeline_json(const Shown& shown) {
  const model::Timeline& timeline = *shown.read.timeline;
  Json files = Json::array();
  for (const fs::path& file : shown.files) files.push_back(file.string());
  return {{"source", shown.source},
          {"files", std::move(files)},
          {"ranks", timeline.ranks()},
          {"events", timeline.events},
          {"steps", timeline.steps > 0 ? Json(timeline.steps) : Json()},
          {"duration_ms", static_cast<double>(timeline.end_ns - timeline.begin_ns) / 1e6},
          {"notices", timeline.notices},
          {"operations", rows_json(*shown.read.operations)},
          {"tracks", rows_json(view::tracks_table(timeline))}};
}

Result<int> timeline(const TimelineOptions& options) {
  const Interrupts interrupts;
  const auto shown = read_shown(options, interrupts);
  if (!shown) return not_done(interrupts, shown.error(), "nothing was read");
  if (options.json) {
    print(stdout, dump(timeline_json(*shown), 2) + "\n");
    return 0;
  }
  const model::Timeline& read = *shown->read.timeline;
  for (const std::string& notice : read.notices) print(stderr, one_line(notice) + "\n");
  print(stdout, one_line(shown->source) + ": " + view::timeline_size_text(read) + "\n\n");
  print(stdout,
        tables_text({*shown->read.operations, view::tracks_table(read)}, wants_color(stdout)));
  return 0;
}

}  // namespace

void add_timeline(Command& app) {
  auto options = std::make_shared<TimelineOptions>();
  Command command = app.add_command(
      "timeline", "What ranks did when, from a run or from traces of PyTorch, Perfetto or Chrome");
  command
      .add_option("RUN", options->names,
                  "A run, of which the newest profile is read, or else its recorded steps; or "
                  "trace files, .json or .json.gz, one of each rank")
      .required();
  command.add_flag("--recorded", options->recorded, "The recorded steps, though it has a profile");
  command.add_option("--rows N", options->rows, "Operations to print").range(1, 100'000);
  add_json(command, *options, "One JSON object");
  add_runs_dir(command, *options);
  command.footer(
      "Operations stand in the order of how much longer they take one rank than the others. The\n"
      "window shows the same and draws it: Timeline (6), or drop the files on it. At most 32 "
      "million\nevents are read.");
  command.action([options] { return timeline(*options); });
}

}  // namespace ringside::cli
