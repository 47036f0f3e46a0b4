// Stays with runs until they have ended: shows progress on a terminal, turns Ctrl-C into a
// stop of the runs, and leaves no process behind. The agent does the work; without this it would go
// on alone. Main thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/cli/command.h"
#include "gui/cli/interrupts.h"
#include "gui/launch/start.h"
#include "gui/runs/catalogue.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::cli {

/// Returns when every run has ended and the agent has left, or when this program is to leave. First
/// interrupt: stop, our trainer with a checkpoint; second: stop now; third: the agent is killed,
/// and its ranks with it. Alerts of severity error are a line each on standard error as they come.
/// `on_alert`: a program that is called with what is new and with each run's end; empty: none.
/// Nothing is new in attempts before `since_attempt`. `behind`: runs that Slurm starts later, one
/// after the other; the first interrupt takes them out before anything else, so that none begins
/// when these end.
void watch_runs(const launch::Started& started, const launch::Plan& plan,
                const Interrupts& interrupts, const std::string& on_alert = {},
                std::int32_t since_attempt = 0, const std::vector<runlog::RunFolder>& behind = {});
/// Takes the runs `behind` out of Slurm's queue, the last first.
void take_out(const std::vector<runlog::RunFolder>& behind);

/// The option --on-alert of a command that stays with a run; after --detach, with which it makes no
/// sense.
void add_on_alert(Command& command, std::string& on_alert);
/// Fails when there is no such program.
Result<void> check_on_alert(const std::string& on_alert);

/// Says that this machine is about to be probed, which takes some seconds.
void tell_probing();

/// Says that the run continues in the background and returns 128 + the signal after which this
/// program leaves.
int left_alone(const Interrupts& interrupts, const std::filesystem::path& runs_dir);

/// Runs that were started together, when they are over: a table, or one JSON object after the
/// failures on standard error. `expected_s` of the object: what was estimated before the start; 0:
/// nothing.
void print_result(const std::vector<runs::RunSummary>& runs, bool json, double expected_s = 0);

/// 0 when all of them finished, 128 + the signal that stopped them, else 1.
int exit_code_of(const std::vector<runs::RunSummary>& runs, const Interrupts& interrupts);

}  // namespace ringside::cli
