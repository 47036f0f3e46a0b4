// `ringside import PATH` adds a run folder from elsewhere, or the output of another tool, to the
// list of runs.
#include <algorithm>
#include <atomic>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/command/trace_reading.h"
#include "gui/cli/command/watch.h"
#include "gui/cli/print/terminal.h"
#include "gui/cli/watched_files.h"
#include "gui/runs/find_run.h"
#include "gui/runs/import_run.h"
#include "gui/session/trace/timeline_sources.h"
#include "gui/session/trace/trace_reader.h"
#include "gui/watch/watcher.h"

namespace ringside::cli {
namespace {

struct ImportOptions : CommonOptions {
  std::vector<std::string> paths;
  std::string name;
  std::string step;
  int limit = 0;
};

void print_runs(const std::vector<runlog::RunFolder>& folders, const ImportOptions& options,
                const std::vector<watch::FileNotice>& left_out = {}) {
  print(stderr, left_out_text(left_out));
  print_result(summaries_of(folders, options.runs_folder()), options.json, left_out);
}

Result<int> import_own(const std::filesystem::path& path, const ImportOptions& options) {
  if (!options.name.empty())
    return bad_request("--name is for files of other tools; a run keeps its own");
  if (!options.step.empty() || options.limit > 0)
    return bad_request("--step and --limit are for files of other tools");
  const std::atomic<bool> stay = false;
  const auto copied = RINGSIDE_TRY(runs::import_run(options.runs_folder(), path, stay));
  print_runs({copied}, options);
  return 0;
}

/// Shows on a terminal how many of the runs have been read.
class ReadProgress {
 public:
  void show(const watch::Watcher& watcher) {
    constexpr std::size_t kFew = 10;
    if (!is_terminal(stderr) || watcher.found_runs() < kFew || watcher.ended_runs() == shown_)
      return;
    shown_ = watcher.ended_runs();
    print(stderr, "\rRead " + std::to_string(shown_) + " of " +
                      std::to_string(watcher.found_runs()) + " runs");
  }
  ~ReadProgress() {
    if (shown_ > 0) print(stderr, "\r\x1b[K");
  }

 private:
  std::size_t shown_ = 0;
};

/// Reads everything that the files hold; fails if it is interrupted or finds no run.
Result<void> read_all(watch::Watcher& watcher, const Interrupts& interrupts) {
  ReadProgress progress;
  for (;;) {
    const auto more = RINGSIDE_TRY(watcher.poll());
    if (interrupts.any()) return failure("interrupted");
    if (!more) break;
    progress.show(watcher);
  }
  if (watcher.folders().empty()) return bad_request(watcher.why_nothing());
  return {};
}

/// Imports the traces of one or several ranks as one run, which the Timeline page can show.
Result<int> import_traces(const std::vector<std::filesystem::path>& files,
                          const ImportOptions& options) {
  if (!options.step.empty() || options.limit > 0)
    return bad_request("--step and --limit are for tables of metrics, not for traces");
  const Interrupts interrupts;
  TraceReading reading(interrupts);
  const auto imported =
      session::import_traces(options.runs_folder(), files, options.name, reading.progress());
  if (!imported) return not_done(interrupts, imported.error(), "nothing was imported");
  print_runs({*imported}, options);
  return 0;
}

Result<int> import_path(const ImportOptions& options) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& one : options.paths)
    paths.push_back(RINGSIDE_TRY(runlog::whole_path(one, "PATH")));
  if (std::ranges::all_of(paths, session::is_trace)) return import_traces(paths, options);
  if (paths.size() > 1)
    return bad_request("several files are imported at once where each of them is a trace");
  const auto& path = paths.front();
  if (runs::holds_run(path)) return import_own(path, options);
  const Interrupts interrupts;
  watch::Watcher watcher({path, options.runs_folder(), options.name, false, options.step,
                          static_cast<std::size_t>(options.limit)});
  if (const auto read = read_all(watcher, interrupts); !read) {
    watcher.discard();
    return not_done(interrupts,
                    {read.error().kind,
                     one_line(path.string()) + " cannot be imported: " + read.error().message},
                    "nothing was imported");
  }
  print_runs(watcher.folders(), options, watcher.left_out());
  return 0;
}

}  // namespace

void add_import(Command& app) {
  auto options = std::make_shared<ImportOptions>();
  Command command = app.add_command(
      "import",
      "Copy into the list of runs: a run folder, what `watch` follows, or traces of profilers");
  command
      .add_option("PATH", options->paths,
                  "A run folder, a file or folder of another tool, or traces of PyTorch, Perfetto "
                  "or Chrome (.json, .json.gz), one of each rank")
      .required();
  command.add_option("--name TEXT", options->name, "Name to show, where PATH is one run");
  add_step_column(command, options->step);
  command.add_option("--limit N", options->limit, "Take only the first N runs of a folder")
      .range(1, 1'000'000);
  add_json(command, *options, "One JSON object, as of run");
  add_runs_dir(command, *options);
  command.action([options] { return import_path(*options); });
}

}  // namespace ringside::cli
