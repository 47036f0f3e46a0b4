// The places where `ringside run` and `sweep` start something: the options of each kind of place
// (`--slurm`), and staying with what was started while it waits, runs and comes back into a queue.
// Main thread; options live until the command line is parsed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gui/cli/command.h"
#include "gui/cli/interrupts.h"
#include "gui/cli/script_options.h"
#include "gui/launch/plan.h"
#include "gui/launch/start.h"
#include "gui/place/kinds.h"
#include "gui/session/studies/study_plan.h"

namespace ringside::cli {

/// What was given for each kind.
struct PlaceOptions {
  struct Given {
    bool on = false;
    launch::Typed typed;  ///< all but the next
    std::map<std::string, std::vector<std::string>> several;
  };
  std::map<const place::Kind*, Given> of;
  /// Null: this machine.
  const place::Kind* chosen() const;
};

void add_place_options(Command& command, PlaceOptions& options);
/// A bad request if options were given without their place, two places or what none can have, or if
/// the place cannot be asked from here. `of_study`: its points say their nodes.
Result<void> check_place_options(const PlaceOptions& options, bool of_study = false);
/// The chosen place, or this machine. Asks about an allocation.
Result<place::PlacePtr> place_of(const PlaceOptions& options, const launch::Cancelled& cancelled);

/// For --dry-run: the settings of the runs and what would be started for them, as text with the
/// script that all get, or as JSON. The exit code.
Result<int> print_dry_run(const std::vector<TitledSettings>& runs, const session::StudyPlan& plan,
                          const std::filesystem::path& runs_dir, bool json);

/// On standard error what the place says of each: which job it is.
void tell_started(const place::Place& where, const launch::Started& started);

/// watch_runs wherever the runs are, those that wait in a queue one by one: returns when every run
/// has ended, or when this program is to leave.
void stay(const launch::Started& started, const launch::Plan& plan, const Interrupts& interrupts,
          const std::string& on_alert = {}, std::int32_t since_attempt = 0);

}  // namespace ringside::cli
