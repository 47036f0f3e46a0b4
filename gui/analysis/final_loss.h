// The loss that a run has come to, and whether it is one. Pure functions of the model.
#pragma once

#include <limits>

#include "gui/model/run_model_fwd.h"
#include "protocol/base/ids.h"

namespace ringside::messages {
struct RunSpec;
}

namespace ringside::analysis {

/// The mean loss of the last training pass that all ranks reported or, before there is one, of the
/// newest step. NaN if nothing is known.
struct FinalLoss {
  double loss = std::numeric_limits<double>::quiet_NaN();
  Epoch epoch = -1;  ///< it is the mean over this epoch
  Step step = -1;    ///< else it is of this step
};
FinalLoss final_loss(const model::RunModel& model);

/// True when the loss broke on the way and is not a number at the end: what was trained is worth
/// nothing, however orderly the run ended.
bool ended_in_nan(const model::RunModel& model);

/// Whether a run that ended so counts as failed: unless its settings say that it does not.
bool nan_is_failure(const messages::RunSpec& spec);

}  // namespace ringside::analysis
