// From what a person asked for to the ordered list of runs: devices and threads settled, the
// baseline first. Pure: the machine and earlier runs are handed in.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gui/launch/machine.h"
#include "protocol/messages/run_spec.h"

namespace ringside::launch {

/// An earlier run that could be the baseline, as the caller's catalogue knows it.
struct EarlierRun {
  std::string id;
  messages::RunSpec spec;
  bool finished = false;
};

struct PlannedRun {
  messages::RunSpec spec;
  bool is_baseline = false;
};

struct Plan {
  std::vector<PlannedRun>
      runs;  ///< in the order in which they run; the last one is what was asked for
  std::vector<std::string> warnings;
  std::string preset_name;  ///< the file the settings came from; empty: none
  std::string preset_text;  ///< kept in the run folders, for what was published beside the recipe
};

/// Looks up baseline.run by what the person typed.
using FindEarlier = std::function<Result<EarlierRun>(const std::string&)>;

/// Settles `kind = "auto"`, picks GPUs by UUID, gives every CPU slot cores / ranks threads (the
/// baseline the same: a slot is a slot), and puts the baseline in front: the same work on one
/// device, in the batch's own meaning (strong: the same global batch; weak: the same batch per
/// device). baseline.run of the last run stays empty until its folder exists. A bad request names
/// what is wrong, also with the work of any of the runs (messages::check_work).
Result<Plan> plan_experiment(const messages::RunSpec& spec, const Machine& machine,
                             const FindEarlier& find_earlier);

/// Why `earlier` is no fair baseline for `spec`; empty: it is one. Devices, names, baselines,
/// checkpoints and limits may differ, the work may not.
std::string not_comparable(const messages::RunSpec& spec, const EarlierRun& earlier);

}  // namespace ringside::launch
