// Follows runs until they have ended: shows progress on a terminal, stops the runs on Ctrl-C, and
// leaves no process behind. The agent does the work, and would continue without this. Main thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/cli/command/command.h"
#include "gui/cli/command/interrupts.h"
#include "gui/launch/start/start.h"
#include "gui/runs/catalogue.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::cli {

/// Returns when every run has ended and the agent has exited, or when this program must exit. First
/// interrupt: stop, with a checkpoint in our trainer; second: stop now; third: kill the agent and
/// with it its ranks. Alerts of severity error are printed to standard error as they come.
/// `on_alert`: a program that is called for each new alert and each run's end; empty: none.
/// Attempts before `since_attempt` give no alerts. `behind`: runs that Slurm starts later, one
/// after the other; the first interrupt removes them before anything else, so that none begins when
/// these end.
void watch_runs(const launch::Started& started, const launch::Plan& plan,
                const Interrupts& interrupts, const std::string& on_alert = {},
                std::int32_t since_attempt = 0, const std::vector<runlog::RunFolder>& behind = {});
/// Removes the runs `behind` from Slurm's queue, the last first.
void take_out(const std::vector<runlog::RunFolder>& behind);

/// Declares the option --on-alert of a command that follows a run. Must be called after --detach is
/// declared, which it cannot be combined with.
void add_on_alert(Command& command, std::string& on_alert);
/// Fails if there is no such program.
Result<void> check_on_alert(const std::string& on_alert);

/// Prints that this machine will be probed, which takes some seconds.
void tell_probing();

/// Prints that the run continues in the background, and returns 128 + the signal that ends this
/// program.
int left_alone(const Interrupts& interrupts, const std::filesystem::path& runs_dir);

/// Prints runs that were started together when they are over: as a table, or as one JSON object
/// after the failures on standard error. `expected_s`: time estimated before the start, for JSON;
/// 0: none.
void print_result(const std::vector<runs::RunSummary>& runs, bool json, double expected_s = 0);

/// Returns 0 if all of them finished, 128 + the signal that stopped them, or else 1.
int exit_code_of(const std::vector<runs::RunSummary>& runs, const Interrupts& interrupts);

}  // namespace ringside::cli
