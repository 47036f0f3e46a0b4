// The places in which `ringside run` and `sweep` start runs: the options of each kind of place
// (`--slurm`), and following the runs while they wait, run and are requeued. Main thread; options
// live until the command line is parsed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gui/cli/command/command.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/command/script_options.h"
#include "gui/launch/plan.h"
#include "gui/launch/start/start.h"
#include "gui/place/kinds.h"
#include "gui/session/studies/study_plan.h"

namespace ringside::cli {

/// The options given for each kind of place.
struct PlaceOptions {
  struct Given {
    bool on = false;
    launch::Typed typed;  ///< all but the next
    std::map<std::string, std::vector<std::string>> several;
  };
  std::map<const place::Kind*, Given> of;
  /// The chosen kind of place; null: this machine.
  const place::Kind* chosen() const;
};

void add_place_options(Command& command, PlaceOptions& options);
/// Returns a bad request if options were given without their place, for two places, or in a
/// combination that none allows, or if the place cannot be reached from here. `of_study`: the
/// number of nodes comes from the study's settings.
Result<void> check_place_options(const PlaceOptions& options, bool of_study = false);
/// Returns the chosen place, or this machine. Queries an allocation.
Result<place::PlacePtr> place_of(const PlaceOptions& options, const launch::Cancelled& cancelled);

/// Prints for --dry-run the settings of the runs and what would be started, as text with the common
/// script, or as JSON. Returns the exit code.
Result<int> print_dry_run(const std::vector<TitledSettings>& runs, const session::StudyPlan& plan,
                          const std::filesystem::path& runs_dir, bool json);

/// Prints what the place reports of each started run, such as its job, on standard error.
void tell_started(const place::Place& where, const launch::Started& started);

/// Same as watch_runs() for runs at any place; queued ones are followed one by one. Returns when
/// every run has ended, or when this program is to exit.
void stay(const launch::Started& started, const launch::Plan& plan, const Interrupts& interrupts,
          const std::string& on_alert = {}, std::int32_t since_attempt = 0);

}  // namespace ringside::cli
