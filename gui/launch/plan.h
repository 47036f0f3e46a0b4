// Turns what a person asked for into the ordered list of runs: devices and threads settled, the
// baseline first. Pure but for the working and the home folder, from which paths are meant: the
// machine and earlier runs are handed in.
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
  /// The preset that this run alone comes from; empty: the plan's.
  std::string preset_name{};
  std::string preset_text{};
  double expected_s = 0;  ///< an estimate, from its start to its end; 0: none
};

struct Plan {
  std::vector<PlannedRun>
      runs;  ///< in the order in which they run; the last one is what was asked for
  std::vector<std::string> warnings;
  std::string fallback;  ///< of `warnings`: why "auto" took CPU slots where GPUs could be expected
  std::vector<std::string> notes;  ///< what was decided about the baseline, and why
  std::string preset_name;         ///< the file the settings came from; empty: none
  std::string preset_text;  ///< kept in the run folders, for what was published beside the recipe
  bool keep_going = false;  ///< after a run that failed the next begins
  bool on_tasks = false;    ///< srun has started a task for each rank, and this is in the first
};

/// Why `kind = "auto"` takes CPU slots on a machine where GPUs could be expected; empty: it takes
/// GPUs, was not asked to choose, or there are none to expect.
std::string cpu_fallback(const messages::RunSpec& spec, const Machine& machine);

/// Makes paths whole, settles `kind = "auto"`, picks GPUs by UUID, gives every CPU slot cores /
/// ranks threads (the baseline the same: a slot is a slot), and puts the baseline in front: the
/// same work on one device, in the batch's own meaning (strong: the same global batch; weak: the
/// same batch per device), or what baseline.set makes of it; runs of baseline.also_on follow.
/// baseline.run of these and of the last run stays empty until the baseline's folder exists. A bad
/// request names what is wrong, also with the work of any of the runs (messages::check_work). With
/// baseline.mode = "reuse" and no baseline.run the newest equal run is taken, and where there is
/// none the baseline is trained.
Result<Plan> plan_setting(const messages::RunSpec& spec, const Machine& machine,
                          const FindEarlier& find_earlier, const FindEqual& find_equal = {});

/// What was published beside the recipe goes with the runs: the preset's file, where it publishes
/// something. Settings that a person changed since make no difference.
void keep_source(Plan& plan, const LoadedPreset& preset);

/// Estimated time of all runs of the plan; 0 where one of them has no estimate.
double expected_s(const Plan& plan);

/// Devices, threads and paths as a plan of `spec` would have them; a bad request where none can be
/// made.
Result<messages::RunSpec> settled(const messages::RunSpec& spec, const Machine& machine);

}  // namespace ringside::launch
