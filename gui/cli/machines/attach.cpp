// `ringside attach ssh://HOST[/RUN]`: opens the window for another machine's runs, or follows one
// run with a local copy.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/machines/on_machine.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/terminal.h"
#include "gui/launch/paths.h"
#include "gui/runs/log_source.h"
#include "protocol/messages/ignore_records.h"

namespace ringside::cli {
namespace {

constexpr std::int64_t kAttachWaitNs = 200'000'000;
constexpr std::uint64_t kAttachBudgetBytes = std::uint64_t{8} << 20;

struct AttachOptions : CommonOptions {
  std::string target;
  bool no_window = false;
};

Result<int> open_window(const AttachOptions& options) {
  const auto dashboard = launch::find_program("ringside-dashboard");
  if (!dashboard) return failure(dashboard.error().message + "; --no-window needs none");
  std::string path = dashboard->string();
  std::string on = "--on=" + options.target;
  std::string runs_dir = "--runs-dir=" + options.runs_dir;
  char* const argv[] = {path.data(), on.data(),
                        options.runs_dir.empty() ? nullptr : runs_dir.data(), nullptr};
  ::execv(path.c_str(), argv);
  return failure("cannot start " + path + ": " + std::strerror(errno));
}

/// Follows the copy until the run is no longer written or a signal comes.
Result<int> follow_copy(const CopiedRun& copied, const Interrupts& interrupts) {
  messages::IgnoreRecords ignore;
  runs::LogSource source{runlog::RunFolder(copied.folder)};
  while (!interrupts.any()) {
    const auto progress = RINGSIDE_TRY(source.poll(ignore, kAttachBudgetBytes, kAttachWaitNs));
    if (progress.ended) return 0;
  }
  return interrupts.exit_code();
}

Result<int> attach(const AttachOptions& options) {
  const auto target = RINGSIDE_TRY(remote::parse_target(options.target));
  if (!options.no_window) return open_window(options);
  AttachOptions there = options;
  there.on = remote::text_of(target.address);
  there.run = target.run.empty() ? "last" : target.run;
  const Interrupts interrupts;
  const auto copied = copy_run(there, interrupts, true);
  if (!copied) return not_done(interrupts, copied.error(), "no copy was made");
  const runlog::RunFolder folder(copied->folder);
  print(stdout, options.json
                    ? dump({{"run", folder.id()}, {"folder", folder.path().string()}}) + "\n"
                    : folder.path().string() + "\n");
  (void)output_arrives();
  return follow_copy(*copied, interrupts);
}

}  // namespace

void add_attach(Command& app) {
  auto options = std::make_shared<AttachOptions>();
  Command command = app.add_command(
      "attach", "Watch the runs of another machine in the window, over ssh: ssh://HOST[/RUN]");
  command.add_option("TARGET", options->target, "ssh://[USER@]HOST[:PORT][/RUN]").required();
  command.add_flag("--no-window", options->no_window,
                   "Print the folder of a copy here, which follows RUN (default: last) to its end");
  add_json(command, *options, "With --no-window: run and folder as one JSON object");
  add_runs_dir(command, *options);
  command.action([options] { return attach(*options); });
}

}  // namespace ringside::cli
