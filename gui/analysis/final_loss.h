// The loss that a run has come to, and whether it is one. Pure functions of the model.
#pragma once

#include "gui/model/run_model_fwd.h"

namespace ringside::analysis {

/// Of the last pass over the training data that all ranks reported; of the newest step where there
/// is none yet. NaN where nothing is known.
double final_loss(const model::RunModel& model);

/// True when the loss broke on the way and is not a number at the end: what was trained is worth
/// nothing, however orderly the run ended.
bool ended_in_nan(const model::RunModel& model);

}  // namespace ringside::analysis
