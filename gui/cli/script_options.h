// Options of a run whose ranks are a person's own program, for the commands that start one. Main
// thread; they live until the command line is parsed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gui/cli/command.h"
#include "gui/cli/print/json.h"
#include "gui/launch/machine.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::cli {

struct ScriptOptions {
  std::vector<std::string> command;  ///< what stands behind `--`; empty: none
  int ranks = 0;                     ///< 0: not given, as below
  std::string devices;
  std::string baseline;
  std::string cwd;
  std::string as;  ///< whose variables it gets: torchrun's, Slurm's or none
  std::vector<std::string> environment;
  int restarts = -1;
  bool no_instrument = false;
  bool tty = false;
};

/// Adds all but --ranks and --baseline, and the command behind `--`.
void add_script_options(Command& command, ScriptOptions& options);

/// Why these do not go together with `what`, a preset or a file that may be empty: one of the two
/// is wanted, and these options go with a command alone. `example` is the name of the command.
Result<void> check_script_options(const ScriptOptions& options, const std::string& what,
                                  const std::string& example);

/// The settings before --set; prints what a launcher's options came to.
Result<messages::RunSpec> script_settings(const ScriptOptions& options, const std::string& name,
                                          const launch::Machine& machine);

/// What a run is called, and its settings.
using TitledSettings = std::pair<std::string, messages::RunSpec>;

/// Prints for --dry-run each as TOML behind its title, without secrets; that some were left out is
/// said on standard error.
void print_settings(const std::vector<TitledSettings>& runs);
/// "title" and "settings" of each, for --json.
Json settings_json(const std::vector<TitledSettings>& runs);

}  // namespace ringside::cli
