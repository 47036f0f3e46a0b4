// Turns a person's request into an ordered list of runs, the baseline first, with devices and
// threads settled. Pure except for reading the working and home folders, which relative paths refer
// to: the machine and earlier runs are passed in.
#pragma once

#include <string>
#include <vector>

#include "gui/launch/baselines.h"
#include "gui/launch/machine.h"
#include "gui/launch/presets.h"
#include "protocol/messages/spec/run_spec.h"

namespace ringside::launch {

struct PlannedRun {
  messages::RunSpec spec;
  bool is_baseline = false;
  /// The preset of this run alone; empty: that of the plan.
  std::string preset_name{};
  std::string preset_text{};
  double expected_s = 0;  ///< estimated duration; 0: no estimate
};

struct Plan {
  std::vector<PlannedRun> runs;  ///< in the order of execution; the last one is the requested run
  std::vector<std::string> warnings;
  /// One of `warnings`: why "auto" chose CPU slots where GPUs could be expected.
  std::string fallback;
  std::vector<std::string> notes;  ///< decisions about the baseline, with reasons
  std::string preset_name;         ///< name of the preset that the settings came from; empty: none
  std::string preset_text;         ///< kept in the run folders for its published figures
  bool keep_going = false;         ///< start the next run even if one failed
  bool on_tasks = false;           ///< srun has started one task per rank, and this is the first
};

/// Why `kind = "auto"` chooses CPU slots on a machine where GPUs could be expected; empty: it takes
/// GPUs, was not asked to choose, or no GPUs can be expected.
std::string cpu_fallback(const messages::RunSpec& spec, const Machine& machine);

/// Makes paths absolute, settles `kind = "auto"`, picks GPUs by UUID, gives every CPU slot cores /
/// ranks threads (those of the baseline too), and adds the baseline first: the same work on one
/// device, with the batch kept as it was meant (strong: the same global batch; weak: the same batch
/// per device), or as baseline.set changes it; runs of baseline.also_on follow. Their baseline.run,
/// and that of the last run, stays empty until the baseline's folder exists. A bad request says
/// what is wrong, including invalid work in any of the runs (messages::check_work). With
/// baseline.mode = "reuse" and no baseline.run the newest equal run is used, or the baseline is
/// trained if there is none.
Result<Plan> plan_setting(const messages::RunSpec& spec, const Machine& machine,
                          const FindEarlier& find_earlier, const FindEqual& find_equal = {});

/// Keeps the preset's file with the runs if it publishes figures, also if a person has changed
/// settings.
void keep_source(Plan& plan, const LoadedPreset& preset);

/// Estimated time of all runs of the plan; 0 if one of them has no estimate.
double expected_s(const Plan& plan);

/// `spec` with devices, threads and paths as plan_setting settles them; a bad request if that is
/// impossible.
Result<messages::RunSpec> settled(const messages::RunSpec& spec, const Machine& machine);

}  // namespace ringside::launch
