// Options for runs of a custom program, shared by the commands that start one. Main thread; they
// live until the command line is parsed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gui/cli/command/command.h"
#include "gui/cli/print/json.h"
#include "gui/launch/machine.h"
#include "protocol/base/result.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::cli {

struct ScriptOptions {
  std::vector<std::string> command;  ///< words after `--`; empty: none
  int ranks = 0;                     ///< 0: not given, as below
  std::string devices;
  std::string baseline;
  std::string cwd;
  std::string as;  ///< which variables it gets: torchrun's, Slurm's or none
  std::vector<std::string> environment;
  int restarts = -1;
  bool no_instrument = false;
  bool tty = false;
};

/// Adds all options but --ranks and --baseline, and the command after `--`.
void add_script_options(Command& command, ScriptOptions& options);

/// Why these options cannot be combined with `what`, a preset or file that may be empty: exactly
/// one of preset and command is needed, and these options need a command. `example`: name of the
/// command.
Result<void> check_script_options(const ScriptOptions& options, const std::string& what,
                                  const std::string& example);

/// The settings before --set; prints how a launcher's options were understood.
Result<messages::RunSpec> script_settings(const ScriptOptions& options, const std::string& name,
                                          const launch::Machine& machine);

/// The title of a run, and its settings.
using TitledSettings = std::pair<std::string, messages::RunSpec>;

/// Prints each as TOML with its title, for --dry-run, without secrets; standard error says if any
/// were left out.
void print_settings(const std::vector<TitledSettings>& runs);
/// JSON with "title" and "settings" of each.
Json settings_json(const std::vector<TitledSettings>& runs);

}  // namespace ringside::cli
