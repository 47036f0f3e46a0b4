// Creates and continues studies, for the commands that do so. Main thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/cli/command/commands.h"
#include "gui/cli/command/interrupts.h"
#include "gui/cli/command/script_options.h"
#include "gui/cli/machines/slurm_run.h"
#include "gui/session/studies/pair_study.h"

namespace ringside::cli {

struct StudyOptions : CommonOptions {
  std::string what;
  std::optional<std::string> world;
  std::optional<std::string> variants;
  int repeats = 0;   ///< 0: 3, or 1 for combinations of settings, or as an existing study has them
  int random = 0;    ///< 0: all combinations
  int seed = 0;      ///< seed of that draw, or of the library that proposes settings
  std::string ask;   ///< library that proposes the settings; empty: none
  int trials = 0;    ///< number of combinations that the library proposes; 0: 20
  std::string best;  ///< metric that is reported to the library; empty: the first known one
  bool weak = false;
  bool strong = false;
  bool both = false;
  bool quick = false;
  bool fresh = false;
  bool detach = false;
  bool dry_run = false;
  bool virtual_nodes = false;
  std::vector<std::string> sets;
  std::optional<std::string> name;
  std::optional<std::string> files;
  ScriptOptions script;
  std::vector<std::string> other;  ///< a second command, which is compared with `script`
  std::string second_run;          ///< a second run, which is compared with the run `what`
  std::int64_t looks = 0;          ///< see runs::StudyHead; for a study of pairs, as is budget_s
  double budget_s = 0;
  PlaceOptions place;
};

inline constexpr const char* kWhatAbCompares =
    "Two values of one setting: ringside ab demo --set data.workers=0,2; two commands: ringside ab "
    "-- python a.py -- python b.py; or two runs: ringside ab 3 7";

/// Plans the requested study, or the missing runs of an existing one, trains it and prints its
/// table. Returns the exit code.
Result<int> sweep(const StudyOptions& options);

/// Adds `--budget`, a duration such as "10 min", stored as text.
void add_budget(Command& command, std::string& budget, const std::string& help);
double budget_seconds(const std::string& budget);

Result<session::StudyPlanRequest> recipe_of(const StudyOptions& options,
                                            const launch::Machine& machine);

/// Returns the pairs of runs that this command waits for; `interrupts` must outlive them.
session::StudyWork study_work(const StudyOptions& options, const launch::Machine& machine,
                              const Interrupts& interrupts);

}  // namespace ringside::cli
