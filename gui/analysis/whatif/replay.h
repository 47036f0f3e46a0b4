// Replays steps from the work in them: ranks that compute at the same time share the cores of their
// host, a bucket is exchanged when its last rank has it ready and the one before it is complete,
// and a rank that is ahead waits in the next step's exchange. Pure.
#pragma once

#include <vector>

#include "gui/analysis/whatif/worked_steps.h"

namespace ringside::analysis {

/// Duration of each replayed step, mean over the ranks, ns.
std::vector<double> replay(const WorkedSteps& all);

}  // namespace ringside::analysis
