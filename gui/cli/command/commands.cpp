#include "gui/cli/command/commands.h"

#include "gui/cli/print/json.h"
#include "gui/cli/print/terminal.h"
#include "gui/session/asked_file.h"
#include "gui/view/number_format.h"
#include "protocol/base/text.h"
#include "protocol/runlog/run_folder.h"

namespace ringside::cli {

std::filesystem::path CommonOptions::runs_folder() const {
  return runlog::choose_runs_dir(runs_dir).value_or(runs_dir);
}

Option declare_runs_dir(Command& command, CommonOptions& options) {
  return command.add_option(
      "--runs-dir DIR", options.runs_dir,
      "Folder of the runs (default: RINGSIDE_RUNS_DIR, else the user's data folder)");
}

void add_runs_dir(Command& command, CommonOptions& options) {
  declare_runs_dir(command, options);
  // The folder is checked before any command begins, as all commands need it.
  command.check("the folder of the runs", [&options, command] {
    if (options.runs_dir.empty()) options.runs_dir = command.given_before("--runs-dir");
    const auto folder = runlog::choose_runs_dir(options.runs_dir);
    return folder ? std::string() : folder.error().message;
  });
}

void add_json(Command& command, CommonOptions& options, const std::string& what) {
  command.add_flag("--json", options.json, what);
}

void add_run_name(Command& command, CommonOptions& options) {
  command
      .add_option("RUN", options.run,
                  "Id or its unique prefix, last, a number of `ringside list`, or a path")
      .required();
}

Result<analysis::StepRange> steps_option(const std::string& text) {
  if (text.empty()) return analysis::StepRange{};
  const auto dash = text.find('-');
  const auto from = whole_number(text.substr(0, dash));
  const auto to = whole_number(dash == text.npos ? "" : text.substr(dash + 1));
  constexpr std::int64_t kMostSteps = std::int64_t{1} << 48;
  if (!from || !to || *from < 0 || *to < *from || *to > kMostSteps)
    return bad_request("--steps: \"" + one_line(text) +
                       "\" is not a range of steps; write 100-300");
  return analysis::StepRange{*from, *to + 1};
}

int tell_written(const session::ReportFile& file, bool json) {
  const auto bytes = static_cast<std::int64_t>(file.size_bytes);
  print(stdout, json ? dump({{"file", file.path.string()}, {"size_bytes", bytes}}) + "\n"
                     : "Wrote " + file.path.string() + ", " + view::count_text(bytes) +
                           " bytes, self-contained.\n");
  return 0;
}

}  // namespace ringside::cli
