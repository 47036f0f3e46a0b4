// `ringside import PATH`: a run folder from elsewhere, or what another tool has written, becomes a
// run of the list.
#include <atomic>

#include "gui/cli/commands.h"
#include "gui/cli/interrupts.h"
#include "gui/cli/print/terminal.h"
#include "gui/cli/watch.h"
#include "gui/runs/find_run.h"
#include "gui/runs/import_run.h"
#include "gui/watch/watcher.h"

namespace ringside::cli {
namespace {

struct ImportOptions : CommonOptions {
  std::string path;
  std::string name;
};

void print_runs(const std::vector<runlog::RunFolder>& folders, const ImportOptions& options) {
  std::vector<runs::RunSummary> summaries;
  for (const auto& folder : folders) {
    const auto listed = runs::find_run(options.runs_folder(), folder.id());
    summaries.push_back(runs::read_summary(listed ? *listed : runs::ListedRun{folder, 0}));
  }
  print_result(summaries, options.json);
}

int import_own(const std::filesystem::path& path, const ImportOptions& options) {
  if (!options.name.empty())
    return report({ErrorKind::kRequest, "--name is for files of other tools; a run keeps its own"});
  const std::atomic<bool> stay = false;
  const auto copied = runs::import_run(options.runs_folder(), path, stay);
  if (!copied) return report(copied.error());
  print_runs({*copied}, options);
  return 0;
}

/// All that the files hold.
Result<void> read_all(watch::Watcher& watcher, const Interrupts& interrupts) {
  for (;;) {
    const auto more = watcher.poll();
    if (!more) return pass(more);
    if (interrupts.any()) return failure("interrupted");
    if (!*more) break;
  }
  if (watcher.folders().empty()) return bad_request("no value with a name and a step is in it");
  return watcher.stop_all(messages::State::kStopped,
                          "copied; the files do not say how the program ended");
}

int import_path(const ImportOptions& options) {
  const auto path = runlog::whole_path(options.path, "PATH");
  if (!path) return report(path.error());
  if (runs::holds_run(*path)) return import_own(*path, options);
  const Interrupts interrupts;
  watch::Watcher watcher({*path, options.runs_folder(), options.name, false});
  if (const auto read = read_all(watcher, interrupts); !read) {
    watcher.discard();
    return not_done(interrupts,
                    {read.error().kind,
                     one_line(path->string()) + " cannot be imported: " + read.error().message},
                    "nothing was imported");
  }
  print_runs(watcher.folders(), options);
  return 0;
}

}  // namespace

void add_import(Command& app) {
  auto options = std::make_shared<ImportOptions>();
  Command command = app.add_command(
      "import",
      "Copy into the list of runs: a run folder from another machine, or what `watch` follows");
  command.add_option("PATH", options->path, "A run folder, or a file or folder of another tool")
      .required()
      .type("");
  command.add_option("--name", options->name, "Name to show, where PATH is one run").type("TEXT");
  add_json(command, *options, "One JSON object, as of run");
  add_runs_dir(command, *options);
  command.action([options] { return import_path(*options); });
}

}  // namespace ringside::cli
