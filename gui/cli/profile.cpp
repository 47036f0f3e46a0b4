// `ringside profile RUN`: starts PyTorch's profiler in all ranks of an active run, for the same
// steps.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/print/json.h"
#include "gui/cli/print/table_print.h"
#include "gui/cli/print/terminal.h"
#include "gui/runs/find_run.h"
#include "gui/session/asked_file.h"
#include "gui/session/run/profile_run.h"

namespace ringside::cli {
namespace {

struct ProfileOptions : CommonOptions {
  int steps = static_cast<int>(session::kUsualProfiledSteps);
  std::optional<std::string> to;
  bool force = false;
};

void tell(const session::KeptProfile& kept, bool json) {
  const auto& trace = kept.trace;
  const std::string file = (trace.folder / trace.files.front().name).string();
  if (json) {
    print(stdout, dump({{"file", file},
                        {"first_step", trace.steps.begin},
                        {"steps", trace.steps.count()},
                        {"events", trace.events},
                        {"size_bytes", trace.size_bytes},
                        {"operations", rows_json(kept.operations)}},
                       2) +
                      "\n");
    return;
  }
  print(stdout, tables_text({kept.operations}, wants_color(stdout)));
  print(stdout, "The window's Timeline (6) shows it, and so does ui.perfetto.dev: " + file + "\n");
}

Result<int> profile(const ProfileOptions& options) {
  const auto found = RINGSIDE_TRY(runs::find_run(options.runs_folder(), options.run));
  std::filesystem::path to;
  if (options.to) {
    to = RINGSIDE_TRY(runlog::whole_path(*options.to, "--to"));
    RINGSIDE_TRY(session::make_way(to, options.force));
  }
  const Interrupts interrupts;
  const auto kept = session::profile_run(
      found, options.steps, to, [&] { return interrupts.any(); },
      [&](analysis::StepRange steps) {
        if (options.json) return;
        print(stderr,
              fmt::format("Profiling steps {} to {} of all ranks …\n", steps.begin, steps.end - 1));
      });
  if (!kept) return not_done(interrupts, kept.error(), "nothing was profiled");
  tell(*kept, options.json);
  return 0;
}

}  // namespace

void add_profile(Command& app) {
  auto options = std::make_shared<ProfileOptions>();
  Command command = app.add_command(
      "profile",
      "Profile a few steps of a run that goes on, in all ranks, with PyTorch's profiler");
  add_run_name(command, *options);
  command.add_option("--steps N", options->steps, "How many")
      .range(1, static_cast<int>(session::kMostProfiledSteps));
  command.add_option(
      "--to FILE", options->to,
      "File for the trace; default: profiles/steps_FIRST-LAST.json in the run's folder");
  command.add_flag("--force", options->force, "Replace that file");
  add_json(command, *options, "One JSON object");
  add_runs_dir(command, *options);
  command.footer(
      "The trace has the recorded steps and collectives of all ranks and the operations of each, "
      "on "
      "one\nclock; the table, which operations differ most between ranks. The steps that are "
      "profiled take\nlonger. Nothing is profiled where a program has its own profiler on.");
  command.action([options] { return profile(*options); });
}

}  // namespace ringside::cli
