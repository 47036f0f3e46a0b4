// Making studies and going on with them, for the commands that do so. Main thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/cli/commands.h"
#include "gui/cli/interrupts.h"
#include "gui/cli/machines/slurm_run.h"
#include "gui/cli/script_options.h"
#include "gui/session/studies/pair_study.h"

namespace ringside::cli {

struct StudyOptions : CommonOptions {
  std::string what;
  std::optional<std::string> world;
  std::optional<std::string> variants;
  int repeats = 0;   ///< 0: 3, of combinations of settings 1, or as the study has them
  int random = 0;    ///< 0: all combinations
  int seed = 0;      ///< of that draw, or of the library that is asked
  std::string ask;   ///< library that proposes the settings; empty: none
  int trials = 0;    ///< combinations that it proposes; 0: 20
  std::string best;  ///< metric that it is told; empty: the first that is known
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
  std::vector<std::string> other;  ///< a second command, which `script` is compared with
  std::string second_run;          ///< `what` is a run, too, that is compared with it
  std::int64_t looks = 0;          ///< of a study of pairs, with the budget (runs::StudyHead)
  double budget_s = 0;
  PlaceOptions place;
};

inline constexpr const char* kWhatAbCompares =
    "Two values of one setting: ringside ab demo --set data.workers=0,2; two commands: ringside ab "
    "-- python a.py -- python b.py; or two runs: ringside ab 3 7";

/// Plans the study that is asked for, or what is missing of one that is there, trains it, prints
/// its table. The exit code.
Result<int> sweep(const StudyOptions& options);

/// `--budget`, a time as people write it, in seconds.
void add_budget(Command& command, std::string& budget, const std::string& help);
double budget_seconds(const std::string& budget);

/// The recipe that is asked for.
Result<session::StudyWish> recipe_of(const StudyOptions& options, const launch::Machine& machine);

/// Pairs of runs that this command stays with; `interrupts` outlives them.
session::PairWork pair_work(const StudyOptions& options, const launch::Machine& machine,
                            const Interrupts& interrupts);

}  // namespace ringside::cli
