// Whether two runs of a person's own program did the same work, judged from what their ranks
// reported: their settings tell nothing of it. Pure functions of two models.
#pragma once

#include <string>

#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

/// Why the two cannot be compared by their time, as a sentence; empty: the same work, as far as it
/// was done. An epoch, or a whole run without epochs, may differ by one step's samples: samplers
/// round.
std::string other_program_work(const model::RunModel& run, const model::RunModel& baseline,
                               bool ended);

}  // namespace ringside::analysis
